// The sum of two numbers, and whether the first one is greater.
module adder #(parameter WIDTH = 32) (
    input [WIDTH-1:0] a,
    input [WIDTH-1:0] b,
    output [WIDTH-1:0] sum,
    output greater
);
    assign sum = a + b;
    assign greater = a > b;
endmodule
