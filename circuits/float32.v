// IEEE 754 numbers of 32 bits: round to nearest, ties to even; numbers below the normal ones, infinities and NaN as the
// standard has them. Each result that is not a number is 7fc00000.

// Moves up until the highest bit is 1, or as far as it goes. `by` is the number of places.
module normalise #(parameter W = 24, parameter S = 5) (
    input [W-1:0] x,
    output [W-1:0] y,
    output [S-1:0] by
);
    genvar k;
    generate
        for (k = S - 1; k >= 0; k = k - 1) begin : stage
            localparam L = 1 << k;
            wire [W-1:0] from, to;
            if (k == S - 1) assign from = x;
            else assign from = stage[k+1].to;
            assign by[k] = ~|from[W-1:W-L];
            // Only what is below can be 1 where it moves.
            wire [W-L-1:0] moved = from[W-L-1:0] & {W-L{by[k]}};
            assign to = from ^ moved ^ {moved, {L{1'b0}}};
        end
    endgenerate
    assign y = stage[0].to;
endmodule

// Moves down; what falls out is kept in one bit.
module lower #(parameter W = 26) (
    input [W-1:0] x,
    input [4:0] by,
    output [W-1:0] y,
    output lost
);
    wire [4:0] out;
    genvar k;
    generate
        for (k = 4; k >= 0; k = k - 1) begin : stage
            localparam L = 1 << k;
            wire [W-1:0] from, to;
            if (k == 4) assign from = x;
            else assign from = stage[k+1].to;
            wire [W-1:0] moved = from & {W{by[k]}};
            assign to = from ^ moved ^ (moved >> L);
            assign out[k] = |moved[L-1:0];
        end
    endgenerate
    assign y = stage[0].to;
    assign lost = |out;
endmodule

// Rounds and writes. `exponent` is one less than a normal number's is written, and 0 for one that is not normal; the
// highest bit of `mantissa` adds to it.
module pack (
    input sign,
    input [8:0] exponent,
    input [23:0] mantissa,
    input half,
    input rest,
    input infinite,
    input nan,
    output [31:0] y
);
    wire up = half & (mantissa[0] | rest);
    wire [32:0] sum = {exponent, mantissa[22:0], up} + {8'b0, mantissa[23], 23'b0, up};
    wire full = sum[32] | &sum[31:24];
    wire most = full | infinite | nan;
    assign y[31] = sign & ~nan;
    assign y[30:23] = sum[31:24] | {8{most}};
    assign y[22] = (sum[23] & ~most) | nan;
    assign y[21:0] = sum[22:1] & ~{22{most}};
endmodule

// a + b
module f32_add (
    input [31:0] a,
    input [31:0] b,
    output [31:0] y
);
    // x is the larger one.
    wire swap = a[30:0] < b[30:0];
    wire [31:0] change = (a ^ b) & {32{swap}};
    wire [31:0] x = a ^ change;
    wire [31:0] z = b ^ change;
    wire minus = a[31] ^ b[31];
    wire hx = |x[30:23];
    wire hz = |z[30:23];
    // What is not normal counts as if its exponent was 1.
    wire [7:0] ex = {x[30:24], x[23] ^ ~hx};
    wire [8:0] distance = {x[30:23], 1'b1} + {~z[30:23], ~hx | hz};
    wire far = |distance[8:6];
    wire [25:0] low;
    wire lost;
    lower #(.W(26)) align (.x({hz, z[22:0], 2'b0}), .by(distance[5:1] | {5{far}}), .y(low), .lost(lost));
    wire [28:0] wide = {1'b0, hx, x[22:0], 3'b0, minus} + {minus, {low, lost} ^ {27{minus}}, minus};
    wire [27:0] sum = wide[28:1];

    // Up until the highest bit is 1, but no further than the exponent allows.
    wire [4:0] by, zero, fits;
    wire [5:0] free;
    assign free[5] = |ex[7:5];
    genvar k;
    generate
        for (k = 4; k >= 0; k = k - 1) begin : stage
            localparam L = 1 << k;
            wire [27:0] from, to;
            if (k == 4) assign from = sum;
            else assign from = stage[k+1].to;
            assign zero[k] = ~|from[27:28-L];
            assign by[k] = zero[k] & (free[k+1] | ex[k]);
            // Where it could move by more than it needs, it can by all that it still needs.
            assign free[k] = free[k+1] | (ex[k] & ~zero[k]);
            wire [27-L:0] moved = from[27-L:0] & {28-L{by[k]}};
            assign to = from ^ moved ^ {moved, {L{1'b0}}};
        end
    endgenerate
    wire [27:0] normal = stage[0].to;
    wire nothing = zero[4] & ~|sum[11:0];
    wire [8:0] left = {ex, 1'b1} + {3'b111, ~by, 1'b1};
    wire special = &x[30:23];
    wire nan = special & (|x[22:0] | (minus & (&z[30:23])));
    pack result (
        .sign(x[31] & ~(nothing & minus)), .exponent({1'b0, left[8:1] & {8{normal[27]}}}),
        .mantissa(normal[27:4]), .half(normal[3]), .rest(|normal[2:0]),
        .infinite(special), .nan(nan), .y(y)
    );
endmodule

// a - b
module f32_sub (
    input [31:0] a,
    input [31:0] b,
    output [31:0] y
);
    f32_add add (.a(a), .b({~b[31], b[30:0]}), .y(y));
endmodule

// What is less than normal moves down by so many places as its exponent is below 0, and is rounded.
module scale (
    input sign,
    // One less than it is written, with a sign.
    input [9:0] exponent,
    input [24:0] mantissa,
    input rest,
    input zero,
    input infinite,
    input nan,
    output [31:0] y
);
    wire below = exponent[9];
    wire [5:0] opposite = {1'b0, ~exponent[4:0]} + 6'b1;
    wire far = below & (opposite[5] | ~&exponent[8:5]);
    wire [4:0] by = (opposite[4:0] & {5{below}}) | {5{far}};
    wire [24:0] low;
    wire lost;
    lower #(.W(25)) align (.x(mantissa), .by(by), .y(low), .lost(lost));
    pack result (
        .sign(sign), .exponent(exponent[8:0] & {9{~below & ~zero}}), .mantissa(low[24:1]),
        .half(low[0]), .rest(rest | lost), .infinite(infinite), .nan(nan), .y(y)
    );
endmodule

// a * b
module f32_mul (
    input [31:0] a,
    input [31:0] b,
    output [31:0] y
);
    // If one is not normal, it is x. If both are not, the product is as good as 0.
    wire ha = |a[30:23];
    wire hb = |b[30:23];
    wire [22:0] change = (a[22:0] ^ b[22:0]) & {23{~hb}};
    wire [23:0] x, z;
    assign x = {ha & hb, a[22:0] ^ change};
    assign z = {ha | hb, b[22:0] ^ change};
    wire [23:0] nx;
    wire [4:0] by;
    normalise #(.W(24), .S(5)) norm (.x(x), .y(nx), .by(by));
    wire [47:0] product;
    multiply #(.N(24)) mul (.a(nx), .b(z), .y(product));
    wire top = product[47];
    wire [24:0] mantissa = top ? product[47:23] : product[46:22];
    wire rest = |product[21:0] | (top & product[22]);

    wire [7:0] ea = {a[30:24], a[23] ^ ~ha};
    wire [7:0] eb = {b[30:24], b[23] ^ ~hb};
    wire [9:0] both = {1'b0, ea, 1'b1} + {1'b0, eb, 1'b1};
    wire [10:0] less = {1'b0, both[9:1], top} + {5'b11111, ~by, top};
    wire [9:0] exponent = less[10:1] - 10'd128;
    wire sa = &a[30:23];
    wire sb = &b[30:23];
    wire special = sa | sb;
    wire zero = ~nx[23];
    wire nan = (sa & |a[22:0]) | (sb & |b[22:0]) | (special & zero);
    scale result (
        .sign(a[31] ^ b[31]), .exponent(exponent), .mantissa(mantissa), .rest(rest), .zero(zero),
        .infinite(special), .nan(nan), .y(y)
    );
endmodule

// a / b
module f32_div (
    input [31:0] a,
    input [31:0] b,
    output [31:0] y
);
    wire ha = |a[30:23];
    wire hb = |b[30:23];
    wire [23:0] x, z;
    wire [4:0] bx, bz;
    normalise #(.W(24), .S(5)) norm0 (.x({ha, a[22:0]}), .y(x), .by(bx));
    normalise #(.W(24), .S(5)) norm1 (.x({hb, b[22:0]}), .y(z), .by(bz));

    // What is left after each step may be below 0, and is then added to.
    wire [25:0] quotient;
    genvar i;
    generate
        for (i = 25; i >= 0; i = i - 1) begin : step
            wire [24:0] from;
            wire minus;
            if (i == 25) begin : first
                assign from = {1'b0, x};
                assign minus = 1'b1;
            end else begin : next
                assign from = {step[i+1].left[23:0], 1'b0};
                assign minus = ~step[i+1].left[24];
            end
            wire [25:0] sum = {from, minus} + {{1'b0, z} ^ {25{minus}}, minus};
            wire [24:0] left = sum[25:1];
            assign quotient[i] = ~left[24];
        end
    endgenerate
    wire [23:0] left = step[0].left[23:0] + (z & {24{step[0].left[24]}});
    wire top = quotient[25];
    wire [24:0] mantissa = top ? quotient[25:1] : quotient[24:0];
    wire rest = |left | (top & quotient[0]);

    // ea - eb - bx + bz + 125 + top
    wire [7:0] ea = {a[30:24], a[23] ^ ~ha};
    wire [7:0] eb = {b[30:24], b[23] ^ ~hb};
    wire [10:0] sum = {2'b0, ea, top} + {5'b0, bz, top};
    wire [9:0] less = {2'b0, eb} + {5'b0, bx};
    wire [9:0] exponent = (sum[10:1] - less) + 10'd125;

    wire sa = &a[30:23];
    wire sb = &b[30:23];
    wire za = ~x[23];
    wire zb = ~z[23];
    wire nan = (sa & |a[22:0]) | (sb & |b[22:0]) | (sa & sb) | (za & zb);
    // By infinity: far below what is rounded up.
    scale result (
        .sign(a[31] ^ b[31]), .exponent({exponent[9] | sb, exponent[8] & ~sb, exponent[7:0]}), .mantissa(mantissa),
        .rest(rest), .zero(za), .infinite(sa | zb), .nan(nan), .y(y)
    );
endmodule

// The square root.
module f32_sqrt (
    input [31:0] a,
    output [31:0] y
);
    wire ha = |a[30:23];
    wire [23:0] x;
    wire [4:0] by;
    normalise #(.W(24), .S(5)) norm (.x({ha, a[22:0]}), .y(x), .by(by));
    wire [7:0] ea = {a[30:24], a[23] ^ ~ha};
    // Less the places that it was moved up, with a sign.
    wire [9:0] exponent = ({1'b0, ea, 1'b1} + {4'b1111, ~by, 1'b1}) >> 1;
    wire [8:0] e = exponent[8:0];
    wire [49:0] number = e[0] ? {1'b0, x, 25'b0} : {x, 26'b0};

    // Two bits of the number for each of the root; what is left may be below 0, and is then added to.
    wire [24:0] root;
    genvar i;
    generate
        for (i = 24; i >= 0; i = i - 1) begin : step
            localparam D = 25 - i;
            wire [D+1:0] from, root_and_one;
            wire minus;
            if (i == 24) begin : first
                assign from = {1'b0, number[49:48]};
                assign root_and_one = 3'b001;
                assign minus = 1'b1;
            end else begin : next
                assign from = {step[i+1].left[D-1:0], number[2*i +: 2]};
                assign minus = ~step[i+1].left[D];
                assign root_and_one = {1'b0, root[24:i+1], ~minus, 1'b1};
            end
            wire [D+2:0] sum = {from, minus} + {root_and_one ^ {D+2{minus}}, minus};
            wire [D+1:0] left = sum[D+2:1];
            assign root[i] = ~left[D+1];
        end
    endgenerate
    wire [26:0] left = step[0].left + ({1'b0, root, 1'b1} & {27{step[0].left[26]}});

    wire [8:0] half = ({e[8], e} + 10'd127) >> 1;
    wire zero = ~x[23];
    wire special = &a[30:23];
    wire nan = (special & |a[22:0]) | (a[31] & ~zero);
    wire [8:0] less = half - 9'd1;
    pack result (
        .sign(a[31]), .exponent({1'b0, less[7:0] & {8{~zero}}}), .mantissa(root[24:1] & {24{~zero}}), .half(root[0] & ~zero),
        .rest(|left), .infinite(special), .nan(nan), .y(y)
    );
endmodule
