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
