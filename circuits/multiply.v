// Products. One AND a bit for each addition; Karatsuba's way halves numbers of 12 bits and more.

// The distance of two numbers, and whether it is below zero.
module distance #(parameter N = 8) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y,
    output below
);
    wire [N:0] difference = {1'b1, a} - {1'b0, b};
    assign below = ~difference[N];
    assign y = (difference[N-1:0] ^ {N{below}}) + {{N-1{1'b0}}, below};
endmodule

// The product of two numbers without signs.
module multiply #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [2*N-1:0] y
);
    generate
        if (N < 12 || N % 2 == 1) begin : rows
            assign y = a * b;
        end else begin : halves
            localparam H = N / 2;
            wire [N-1:0] low, high, cross;
            wire [H-1:0] da, db;
            wire na, nb;
            multiply #(.N(H)) m0 (.a(a[H-1:0]), .b(b[H-1:0]), .y(low));
            multiply #(.N(H)) m1 (.a(a[N-1:H]), .b(b[N-1:H]), .y(high));
            distance #(.N(H)) d0 (.a(a[N-1:H]), .b(a[H-1:0]), .y(da), .below(na));
            distance #(.N(H)) d1 (.a(b[N-1:H]), .b(b[H-1:0]), .y(db), .below(nb));
            multiply #(.N(H)) m2 (.a(da), .b(db), .y(cross));
            // high + low - (ah - al)(bh - bl)
            wire minus = ~(na ^ nb);
            wire [N:0] sum = high + low;
            wire [N+1:0] middle = {sum, minus} + {minus, cross ^ {N{minus}}, minus};
            assign y[H-1:0] = low[H-1:0];
            assign y[2*N-1:H] = {high, low[N-1:H]} + middle[N+1:1];
        end
    endgenerate
endmodule

// The low half of a product: that of numbers with signs, too.
module multiply_low #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [N-1:0] y
);
    assign y = a * b;
endmodule

// So many numbers as two of the same sum: of three numbers come two in each layer.
module carry_save #(parameter ROWS = 3, parameter W = 64) (
    input [ROWS*W-1:0] rows,
    output [W-1:0] a,
    output [W-1:0] b
);
    localparam TRIPLES = ROWS / 3;
    localparam LEFT = ROWS % 3;
    localparam NEXT = 2 * TRIPLES + LEFT;
    genvar i;
    generate
        if (ROWS == 2) begin : two
            assign {b, a} = rows;
        end else begin : layer
            wire [NEXT*W-1:0] next;
            for (i = 0; i < TRIPLES; i = i + 1) begin : triple
                wire [W-1:0] x, y, z, carry;
                assign {z, y, x} = rows[3*i*W +: 3*W];
                assign carry = ((x ^ z) & (y ^ z)) ^ z;
                assign next[2*i*W +: 2*W] = {carry[W-2:0], 1'b0, x ^ y ^ z};
            end
            if (LEFT != 0) assign next[2*TRIPLES*W +: LEFT*W] = rows[3*TRIPLES*W +: LEFT*W];
            carry_save #(.ROWS(NEXT), .W(W)) rest (.rows(next), .a(a), .b(b));
        end
    endgenerate
endmodule

// The product of two numbers without signs, in few layers.
module multiply_shallow #(parameter N = 32) (
    input [N-1:0] a,
    input [N-1:0] b,
    output [2*N-1:0] y
);
    wire [2*N*N-1:0] rows;
    wire [2*N-1:0] s, t;
    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : row
            assign rows[2*N*i +: 2*N] = {{N{1'b0}}, a & {N{b[i]}}} << i;
        end
    endgenerate
    carry_save #(.ROWS(N), .W(2*N)) tree (.rows(rows), .a(s), .b(t));
    add_ladner_fischer #(.N(2*N)) sum (.a(s), .b(t), .y(y));
endmodule
