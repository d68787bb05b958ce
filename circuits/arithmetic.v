// Whole numbers: sums, comparisons, choices, shifts. SIGNED is 1 for two's complement.

// a + b, one bit after the other.
module add #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    assign y = a + b;
endmodule

// a - b
module subtract #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    assign y = a - b;
endmodule

// Of groups of bits whether they make a carry (g) and whether they pass one on (p): the carries out of bits 0 to i, after
// Ladner and Fischer. Two ANDs where two groups meet.
module prefix_shallow #(parameter N = 32) (
    input [N-1:0] g,
    input [N-1:0] p,
    output [N-1:0] gs,
    output [N-1:0] ps
);
    localparam H = (N + 1) / 2;
    generate
        if (N == 1) begin : one
            assign gs = g;
            assign ps = p;
        end else begin : halves
            wire [N-H-1:0] gh, ph;
            prefix_shallow #(.N(H)) low (.g(g[H-1:0]), .p(p[H-1:0]), .gs(gs[H-1:0]), .ps(ps[H-1:0]));
            prefix_shallow #(.N(N-H)) high (.g(g[N-1:H]), .p(p[N-1:H]), .gs(gh), .ps(ph));
            assign gs[N-1:H] = gh ^ (ph & {N-H{gs[H-1]}});
            assign ps[N-1:H] = ph & {N-H{ps[H-1]}};
        end
    endgenerate
endmodule

// The same after Brent and Kung: twice the layers, fewer ANDs.
module prefix_small #(parameter N = 32) (
    input [N-1:0] g,
    input [N-1:0] p,
    output [N-1:0] gs,
    output [N-1:0] ps
);
    genvar i;
    generate
        if (N == 1) begin : one
            assign gs = g;
            assign ps = p;
        end else begin : pairs
            wire [N/2-1:0] gp, pp, go, po;
            for (i = 0; i < N / 2; i = i + 1) begin : pair
                assign gp[i] = g[2*i+1] ^ (p[2*i+1] & g[2*i]);
                assign pp[i] = p[2*i+1] & p[2*i];
            end
            prefix_small #(.N(N/2)) half (.g(gp), .p(pp), .gs(go), .ps(po));
            for (i = 0; i < N / 2; i = i + 1) begin : out
                assign gs[2*i+1] = go[i];
                assign ps[2*i+1] = po[i];
                if (i == 0) begin : first
                    assign gs[0] = g[0];
                    assign ps[0] = p[0];
                end else begin : next
                    assign gs[2*i] = g[2*i] ^ (p[2*i] & go[i-1]);
                    assign ps[2*i] = p[2*i] & po[i-1];
                end
            end
            if (N % 2 == 1) begin : last
                assign gs[N-1] = g[N-1] ^ (p[N-1] & go[N/2-1]);
                assign ps[N-1] = p[N-1] & po[N/2-1];
            end
        end
    endgenerate
endmodule

// a + b in about log2(N) layers.
module add_ladner_fischer #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    wire [N-1:0] gs, ps;
    prefix_shallow #(.N(N)) carries (.g(a & b), .p(a ^ b), .gs(gs), .ps(ps));
    assign y = a ^ b ^ {gs[N-2:0], 1'b0};
endmodule

// a + b in about 2 log2(N) layers.
module add_brent_kung #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    wire [N-1:0] gs, ps;
    prefix_small #(.N(N)) carries (.g(a & b), .p(a ^ b), .gs(gs), .ps(ps));
    assign y = a ^ b ^ {gs[N-2:0], 1'b0};
endmodule

// a < b, one bit after the other.
module less #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output y
);
    assign y = SIGNED ? $signed(a) < $signed(b) : a < b;
endmodule

// Of two numbers whether the first is less, and whether they are equal: halves side by side.
module compare #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output less,
    output equal
);
    generate
        if (N == 1) begin : one
            assign less = ~a & b;
            assign equal = ~(a ^ b);
        end else begin : halves
            localparam H = N / 2;
            wire l0, e0, l1, e1;
            compare #(.N(H)) low (.a(a[H-1:0]), .b(b[H-1:0]), .less(l0), .equal(e0));
            compare #(.N(N-H)) high (.a(a[N-1:H]), .b(b[N-1:H]), .less(l1), .equal(e1));
            assign less = l1 ^ (e1 & l0);
            assign equal = e1 & e0;
        end
    endgenerate
endmodule

// a < b in about log2(N) layers.
module less_tree #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output y
);
    wire equal;
    wire [N-1:0] flip = SIGNED ? 1'b1 << (N - 1) : 0;
    compare #(.N(N)) tree (.a(a ^ flip), .b(b ^ flip), .less(y), .equal(equal));
endmodule

module equal #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output y
);
    assign y = a == b;
endmodule

// The smaller and the larger of two numbers: a step of a sorting network.
module exchange #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] low,
    output [N-1:0] high
);
    wire swap = SIGNED ? $signed(b) < $signed(a) : b < a;
    wire [N-1:0] change = (a ^ b) & {N{swap}};
    assign low = a ^ change;
    assign high = b ^ change;
endmodule

module minimum #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    wire [N-1:0] high;
    exchange #(.N(N), .SIGNED(SIGNED)) both (.a(a), .b(b), .low(y), .high(high));
endmodule

module maximum #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    wire [N-1:0] low;
    exchange #(.N(N), .SIGNED(SIGNED)) both (.a(a), .b(b), .low(low), .high(y));
endmodule

// a where choose is 1, else b.
module choice #(parameter N = 32) (
    input choose,
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    assign y = choose ? a : b;
endmodule

// How many bits are 1: two halves and one bit that is the carry into their sum.
module ones #(parameter N = 32, parameter S = $clog2(N + 1)) (
    input [N-1:0] a,
    output [S-1:0] y
);
    generate
        if (N == 1) begin : one
            assign y = a;
        end else begin : halves
            localparam H = (N - 1) / 2;
            localparam G = N - 1 - H;
            localparam T = $clog2(G + 1);
            localparam U = H == 0 ? 1 : $clog2(H + 1);
            wire [T-1:0] more;
            wire [U-1:0] less;
            ones #(.N(G)) high (.a(a[N-1:H+1]), .y(more));
            if (H == 0) assign less = 0;
            else ones #(.N(H)) low (.a(a[H:1]), .y(less));
            wire [T:0] x = {more, a[0]};
            wire [T:0] z = {less, a[0]};
            wire [T+1:0] sum = x + z;
            assign y = sum[T+1:1];
        end
    endgenerate
endmodule

// a moved up by `by` places: zero from N on.
module shift_left #(parameter N = 32, parameter S = $clog2(N)) (
    input [N-1:0] a,
    input [S-1:0] by,
    output [N-1:0] y
);
    assign y = a << by;
endmodule

// a moved down; SIGNED brings in the sign.
module shift_right #(parameter N = 32, parameter SIGNED = 0, parameter S = $clog2(N)) (
    input [N-1:0] a,
    input [S-1:0] by,
    output [N-1:0] y
);
    generate
        if (SIGNED) assign y = $signed(a) >>> by;
        else assign y = a >> by;
    endgenerate
endmodule

// The quotient, towards zero, and the rest. By 0: all ones and a, or the like with their signs.
module divide #(parameter N = 32, parameter SIGNED = 0) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] quotient,
    output [N-1:0] rest
);
    wire na = SIGNED & a[N-1];
    wire nb = SIGNED & b[N-1];
    wire [N-1:0] pa = (a ^ {N{na}}) + na;
    wire [N-1:0] pb = (b ^ {N{nb}}) + nb;
    wire [N-1:0] q, r;
    divide_plain #(.N(N)) plain (.a(pa), .b(pb), .quotient(q), .rest(r));
    assign quotient = (q ^ {N{na ^ nb}}) + (na ^ nb);
    assign rest = (r ^ {N{na}}) + na;
endmodule

// Without signs. What is left after each step may be below 0, and is then added to: an addition for each bit.
module divide_plain #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] quotient,
    output [N-1:0] rest
);
    genvar i;
    generate
        for (i = N - 1; i >= 0; i = i - 1) begin : step
            wire [N:0] from;
            wire minus;
            if (i == N - 1) begin : first
                assign from = {{N{1'b0}}, a[i]};
                assign minus = 1'b1;
            end else begin : next
                assign from = {step[i+1].left[N-1:0], a[i]};
                assign minus = ~step[i+1].left[N];
            end
            wire [N+1:0] sum = {from, minus} + {{1'b0, b} ^ {N+1{minus}}, minus};
            wire [N:0] left = sum[N+1:1];
            assign quotient[i] = ~left[N];
        end
    endgenerate
    assign rest = step[0].left[N-1:0] + (b & {N{step[0].left[N]}});
endmodule
