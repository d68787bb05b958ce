// Comparisons of 32-bit floating point, and conversions.

// Whether a < b, a <= b and a = b: none of them where one is not a number.
module f32_compare (
    input [31:0] a,
    input [31:0] b,
    output less,
    output less_equal,
    output equal
);
    wire ordered = ~((&a[30:23] & |a[22:0]) | (&b[30:23] & |b[22:0]));
    wire zeros = ~|(a[30:0] | b[30:0]);
    wire same = a == b;
    // Below 0 the order of the bits is the other one.
    wire below = {~a[31], a[30:0] ^ {31{a[31]}}} < {~b[31], b[30:0] ^ {31{b[31]}}};
    assign equal = ordered & (same | zeros);
    assign less = ordered & below & ~zeros;
    assign less_equal = less ^ equal;
endmodule

module f32_less (
    input [31:0] a,
    input [31:0] b,
    output y
);
    wire equal, less_equal;
    f32_compare compare (.a(a), .b(b), .less(y), .less_equal(less_equal), .equal(equal));
endmodule

module f32_less_equal (
    input [31:0] a,
    input [31:0] b,
    output y
);
    wire ordered = ~((&a[30:23] & |a[22:0]) | (&b[30:23] & |b[22:0]));
    wire zeros = ~|(a[30:0] | b[30:0]);
    wire above = {~b[31], b[30:0] ^ {31{b[31]}}} < {~a[31], a[30:0] ^ {31{a[31]}}};
    assign y = ordered & (~above | zeros);
endmodule

module f32_equal (
    input [31:0] a,
    input [31:0] b,
    output y
);
    wire less, less_equal;
    f32_compare compare (.a(a), .b(b), .less(less), .less_equal(less_equal), .equal(y));
endmodule

// The nearest number; of two the one with an even mantissa. SIGNED is 1 for two's complement.
module f32_of_int #(parameter SIGNED = 1) (
    input [31:0] a,
    output [31:0] y
);
    wire sign = SIGNED & a[31];
    wire [31:0] size = (a ^ {32{sign}}) + {31'b0, sign};
    wire [31:0] x;
    wire [4:0] by;
    normalise #(.W(32), .S(5)) norm (.x(size), .y(x), .by(by));
    // 157 - by, one less than is written
    wire [7:0] exponent = 8'd126 + {3'b0, ~by};
    pack result (
        .sign(sign), .exponent({1'b0, exponent & {8{x[31]}}}), .mantissa(x[31:8]), .half(x[7]), .rest(|x[6:0]),
        .infinite(1'b0), .nan(1'b0), .y(y)
    );
endmodule

// Towards zero. What is too large becomes the largest or the least number, and what is no number 0.
module f32_to_i32 (
    input [31:0] a,
    output [31:0] y
);
    wire [7:0] by = 8'd158 - a[30:23];
    // From 2^31 on, and below 1.
    wire large = a[30] & (|a[29:28] | (&a[27:24]));
    wire small = |by[7:5];
    wire nan = &a[30:23] & |a[22:0];
    wire [31:0] whole = {1'b1, a[22:0], 8'b0} >> by[4:0];
    wire [31:0] kept = whole & {32{~small}};
    wire [31:0] number = (kept ^ {32{a[31]}}) + {31'b0, a[31]};
    wire [31:0] limited = large ? {a[31], {31{~a[31]}}} : number;
    assign y = limited & {32{~nan}};
endmodule
