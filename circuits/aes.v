// AES (FIPS 197). A block is a number of 128 bits whose highest byte is the first one; so are keys. SHALLOW chooses the
// S-box: 32 ANDs in 5 layers, or 33 in 4. TABLE has it as a table.

// The product in GF(2)[x] modulo x^4 + x + 1: nine ANDs, by Karatsuba's way twice.
module gf16_multiply (
    input [3:0] a,
    input [3:0] b,
    output [3:0] y
);
    wire [1:0] sa = a[3:2] ^ a[1:0];
    wire [1:0] sb = b[3:2] ^ b[1:0];
    wire [3:0] p = a & b;
    wire p0 = p[0];
    wire p1 = p[1];
    wire p2 = p[2];
    wire p3 = p[3];
    wire p01 = ((a[0] ^ a[1]) & (b[0] ^ b[1])) ^ p0 ^ p1;
    wire p23 = ((a[2] ^ a[3]) & (b[2] ^ b[3])) ^ p2 ^ p3;
    wire s0 = sa[0] & sb[0];
    wire s1 = sa[1] & sb[1];
    wire s01 = ((^sa) & (^sb)) ^ s0 ^ s1;
    // The coefficients of x^2, x^3 and x^4 before the reduction.
    wire c2 = p1 ^ s0 ^ p0 ^ p2;
    wire c3 = s01 ^ p01 ^ p23;
    wire c4 = p2 ^ s1 ^ p1 ^ p3;
    assign y = {c3 ^ p3, c2 ^ p23 ^ p3, p01 ^ c4 ^ p23, p0 ^ c4};
endmodule

// The inverse there, and 0 for 0.
module gf16_invert #(parameter SHALLOW = 0) (
    input [3:0] x,
    output [3:0] y
);
    generate
        if (SHALLOW) begin : layers
            // Two layers, six ANDs.
            wire t0 = x[0] & x[1];
            wire t1 = x[2] & x[3];
            wire t2 = x[0] & (x[2] ^ x[3] ^ t1);
            wire t3 = (x[0] ^ x[1] ^ t1) & (x[0] ^ x[3] ^ t1);
            wire t4 = (x[0] ^ x[1] ^ t0 ^ t1) & (x[0] ^ x[2] ^ t0 ^ t1);
            wire t5 = (x[2] ^ t0 ^ t1) & (x[0] ^ x[3] ^ t0 ^ t1);
            assign y[0] = x[1] ^ x[2] ^ x[3] ^ t0 ^ t4;
            assign y[1] = x[3] ^ t0 ^ t2 ^ t3 ^ t4 ^ t5;
            assign y[2] = x[2] ^ x[3] ^ t0 ^ t2;
            assign y[3] = x[0] ^ x[1] ^ x[2] ^ x[3] ^ t0 ^ t1 ^ t3;
        end else begin : ands
            // Three layers, five ANDs.
            wire t0 = x[0] & x[1];
            wire t1 = (x[0] ^ x[2] ^ t0) & (x[3] ^ t0);
            wire t2 = (x[0] ^ x[1] ^ x[2]) & (x[0] ^ x[1] ^ x[3] ^ t0);
            wire t3 = (t0 ^ t2) & (x[0] ^ x[3] ^ t1);
            wire t4 = (x[1] ^ t1) & (x[3] ^ t0 ^ t1 ^ t2);
            assign y[0] = x[2] ^ x[3] ^ t1 ^ t3 ^ t4;
            assign y[1] = x[0] ^ x[1] ^ x[3] ^ t0 ^ t1 ^ t2;
            assign y[2] = x[0] ^ x[2] ^ x[3] ^ t0 ^ t3;
            assign y[3] = x[1] ^ x[2] ^ x[3] ^ t1 ^ t2 ^ t3 ^ t4;
        end
    endgenerate
endmodule

// The S-box: the inverse in GF(2^8), seen as pairs a y + b over GF(16) with y^2 = y + x^3 + x^2.
module aes_sbox_gates #(parameter SHALLOW = 0) (
    input [7:0] x,
    output [7:0] y
);
    wire [7:0] t, u;
    assign t[0] = x[0] ^ x[4] ^ x[7];
    assign t[1] = x[2] ^ x[3] ^ x[4] ^ x[5] ^ x[7];
    assign t[2] = x[1] ^ x[3] ^ x[6];
    assign t[3] = x[2] ^ x[6] ^ x[7];
    assign t[4] = x[1] ^ x[2] ^ x[3] ^ x[5] ^ x[7];
    assign t[5] = x[1] ^ x[4] ^ x[5] ^ x[6];
    assign t[6] = x[2] ^ x[3];
    assign t[7] = x[5] ^ x[7];
    wire [3:0] a = t[7:4];
    wire [3:0] b = t[3:0];
    wire [3:0] ab, inverse;
    gf16_multiply m0 (.a(a), .b(b), .y(ab));
    // (x^3 + x^2) a^2 and b^2
    wire [3:0] aa = {a[0] ^ a[3], ^a, a[2] ^ a[3], a[1] ^ a[2] ^ a[3]};
    wire [3:0] bb = {b[3], b[1] ^ b[3], b[2], b[0] ^ b[2]};
    gf16_invert #(.SHALLOW(SHALLOW)) invert (.x(aa ^ ab ^ bb), .y(inverse));
    gf16_multiply m1 (.a(a), .b(inverse), .y(u[7:4]));
    gf16_multiply m2 (.a(a ^ b), .b(inverse), .y(u[3:0]));
    assign y[0] = ~(u[0] ^ u[1] ^ u[4] ^ u[5]);
    assign y[1] = ~(u[0] ^ u[5]);
    assign y[2] = u[0] ^ u[1] ^ u[2] ^ u[7];
    assign y[3] = u[0] ^ u[1] ^ u[4] ^ u[6];
    assign y[4] = u[0] ^ u[2] ^ u[3];
    assign y[5] = ~(u[1] ^ u[2] ^ u[3] ^ u[6]);
    assign y[6] = ~(u[4] ^ u[5] ^ u[7]);
    assign y[7] = u[1] ^ u[2] ^ u[4] ^ u[7];
endmodule

// The S-box as a table.
module aes_sbox_table (
    input [7:0] x,
    output reg [7:0] y
);
    always @* begin
        case (x)
            8'h00: y = 8'h63; 8'h01: y = 8'h7c; 8'h02: y = 8'h77; 8'h03: y = 8'h7b;
            8'h04: y = 8'hf2; 8'h05: y = 8'h6b; 8'h06: y = 8'h6f; 8'h07: y = 8'hc5;
            8'h08: y = 8'h30; 8'h09: y = 8'h01; 8'h0a: y = 8'h67; 8'h0b: y = 8'h2b;
            8'h0c: y = 8'hfe; 8'h0d: y = 8'hd7; 8'h0e: y = 8'hab; 8'h0f: y = 8'h76;
            8'h10: y = 8'hca; 8'h11: y = 8'h82; 8'h12: y = 8'hc9; 8'h13: y = 8'h7d;
            8'h14: y = 8'hfa; 8'h15: y = 8'h59; 8'h16: y = 8'h47; 8'h17: y = 8'hf0;
            8'h18: y = 8'had; 8'h19: y = 8'hd4; 8'h1a: y = 8'ha2; 8'h1b: y = 8'haf;
            8'h1c: y = 8'h9c; 8'h1d: y = 8'ha4; 8'h1e: y = 8'h72; 8'h1f: y = 8'hc0;
            8'h20: y = 8'hb7; 8'h21: y = 8'hfd; 8'h22: y = 8'h93; 8'h23: y = 8'h26;
            8'h24: y = 8'h36; 8'h25: y = 8'h3f; 8'h26: y = 8'hf7; 8'h27: y = 8'hcc;
            8'h28: y = 8'h34; 8'h29: y = 8'ha5; 8'h2a: y = 8'he5; 8'h2b: y = 8'hf1;
            8'h2c: y = 8'h71; 8'h2d: y = 8'hd8; 8'h2e: y = 8'h31; 8'h2f: y = 8'h15;
            8'h30: y = 8'h04; 8'h31: y = 8'hc7; 8'h32: y = 8'h23; 8'h33: y = 8'hc3;
            8'h34: y = 8'h18; 8'h35: y = 8'h96; 8'h36: y = 8'h05; 8'h37: y = 8'h9a;
            8'h38: y = 8'h07; 8'h39: y = 8'h12; 8'h3a: y = 8'h80; 8'h3b: y = 8'he2;
            8'h3c: y = 8'heb; 8'h3d: y = 8'h27; 8'h3e: y = 8'hb2; 8'h3f: y = 8'h75;
            8'h40: y = 8'h09; 8'h41: y = 8'h83; 8'h42: y = 8'h2c; 8'h43: y = 8'h1a;
            8'h44: y = 8'h1b; 8'h45: y = 8'h6e; 8'h46: y = 8'h5a; 8'h47: y = 8'ha0;
            8'h48: y = 8'h52; 8'h49: y = 8'h3b; 8'h4a: y = 8'hd6; 8'h4b: y = 8'hb3;
            8'h4c: y = 8'h29; 8'h4d: y = 8'he3; 8'h4e: y = 8'h2f; 8'h4f: y = 8'h84;
            8'h50: y = 8'h53; 8'h51: y = 8'hd1; 8'h52: y = 8'h00; 8'h53: y = 8'hed;
            8'h54: y = 8'h20; 8'h55: y = 8'hfc; 8'h56: y = 8'hb1; 8'h57: y = 8'h5b;
            8'h58: y = 8'h6a; 8'h59: y = 8'hcb; 8'h5a: y = 8'hbe; 8'h5b: y = 8'h39;
            8'h5c: y = 8'h4a; 8'h5d: y = 8'h4c; 8'h5e: y = 8'h58; 8'h5f: y = 8'hcf;
            8'h60: y = 8'hd0; 8'h61: y = 8'hef; 8'h62: y = 8'haa; 8'h63: y = 8'hfb;
            8'h64: y = 8'h43; 8'h65: y = 8'h4d; 8'h66: y = 8'h33; 8'h67: y = 8'h85;
            8'h68: y = 8'h45; 8'h69: y = 8'hf9; 8'h6a: y = 8'h02; 8'h6b: y = 8'h7f;
            8'h6c: y = 8'h50; 8'h6d: y = 8'h3c; 8'h6e: y = 8'h9f; 8'h6f: y = 8'ha8;
            8'h70: y = 8'h51; 8'h71: y = 8'ha3; 8'h72: y = 8'h40; 8'h73: y = 8'h8f;
            8'h74: y = 8'h92; 8'h75: y = 8'h9d; 8'h76: y = 8'h38; 8'h77: y = 8'hf5;
            8'h78: y = 8'hbc; 8'h79: y = 8'hb6; 8'h7a: y = 8'hda; 8'h7b: y = 8'h21;
            8'h7c: y = 8'h10; 8'h7d: y = 8'hff; 8'h7e: y = 8'hf3; 8'h7f: y = 8'hd2;
            8'h80: y = 8'hcd; 8'h81: y = 8'h0c; 8'h82: y = 8'h13; 8'h83: y = 8'hec;
            8'h84: y = 8'h5f; 8'h85: y = 8'h97; 8'h86: y = 8'h44; 8'h87: y = 8'h17;
            8'h88: y = 8'hc4; 8'h89: y = 8'ha7; 8'h8a: y = 8'h7e; 8'h8b: y = 8'h3d;
            8'h8c: y = 8'h64; 8'h8d: y = 8'h5d; 8'h8e: y = 8'h19; 8'h8f: y = 8'h73;
            8'h90: y = 8'h60; 8'h91: y = 8'h81; 8'h92: y = 8'h4f; 8'h93: y = 8'hdc;
            8'h94: y = 8'h22; 8'h95: y = 8'h2a; 8'h96: y = 8'h90; 8'h97: y = 8'h88;
            8'h98: y = 8'h46; 8'h99: y = 8'hee; 8'h9a: y = 8'hb8; 8'h9b: y = 8'h14;
            8'h9c: y = 8'hde; 8'h9d: y = 8'h5e; 8'h9e: y = 8'h0b; 8'h9f: y = 8'hdb;
            8'ha0: y = 8'he0; 8'ha1: y = 8'h32; 8'ha2: y = 8'h3a; 8'ha3: y = 8'h0a;
            8'ha4: y = 8'h49; 8'ha5: y = 8'h06; 8'ha6: y = 8'h24; 8'ha7: y = 8'h5c;
            8'ha8: y = 8'hc2; 8'ha9: y = 8'hd3; 8'haa: y = 8'hac; 8'hab: y = 8'h62;
            8'hac: y = 8'h91; 8'had: y = 8'h95; 8'hae: y = 8'he4; 8'haf: y = 8'h79;
            8'hb0: y = 8'he7; 8'hb1: y = 8'hc8; 8'hb2: y = 8'h37; 8'hb3: y = 8'h6d;
            8'hb4: y = 8'h8d; 8'hb5: y = 8'hd5; 8'hb6: y = 8'h4e; 8'hb7: y = 8'ha9;
            8'hb8: y = 8'h6c; 8'hb9: y = 8'h56; 8'hba: y = 8'hf4; 8'hbb: y = 8'hea;
            8'hbc: y = 8'h65; 8'hbd: y = 8'h7a; 8'hbe: y = 8'hae; 8'hbf: y = 8'h08;
            8'hc0: y = 8'hba; 8'hc1: y = 8'h78; 8'hc2: y = 8'h25; 8'hc3: y = 8'h2e;
            8'hc4: y = 8'h1c; 8'hc5: y = 8'ha6; 8'hc6: y = 8'hb4; 8'hc7: y = 8'hc6;
            8'hc8: y = 8'he8; 8'hc9: y = 8'hdd; 8'hca: y = 8'h74; 8'hcb: y = 8'h1f;
            8'hcc: y = 8'h4b; 8'hcd: y = 8'hbd; 8'hce: y = 8'h8b; 8'hcf: y = 8'h8a;
            8'hd0: y = 8'h70; 8'hd1: y = 8'h3e; 8'hd2: y = 8'hb5; 8'hd3: y = 8'h66;
            8'hd4: y = 8'h48; 8'hd5: y = 8'h03; 8'hd6: y = 8'hf6; 8'hd7: y = 8'h0e;
            8'hd8: y = 8'h61; 8'hd9: y = 8'h35; 8'hda: y = 8'h57; 8'hdb: y = 8'hb9;
            8'hdc: y = 8'h86; 8'hdd: y = 8'hc1; 8'hde: y = 8'h1d; 8'hdf: y = 8'h9e;
            8'he0: y = 8'he1; 8'he1: y = 8'hf8; 8'he2: y = 8'h98; 8'he3: y = 8'h11;
            8'he4: y = 8'h69; 8'he5: y = 8'hd9; 8'he6: y = 8'h8e; 8'he7: y = 8'h94;
            8'he8: y = 8'h9b; 8'he9: y = 8'h1e; 8'hea: y = 8'h87; 8'heb: y = 8'he9;
            8'hec: y = 8'hce; 8'hed: y = 8'h55; 8'hee: y = 8'h28; 8'hef: y = 8'hdf;
            8'hf0: y = 8'h8c; 8'hf1: y = 8'ha1; 8'hf2: y = 8'h89; 8'hf3: y = 8'h0d;
            8'hf4: y = 8'hbf; 8'hf5: y = 8'he6; 8'hf6: y = 8'h42; 8'hf7: y = 8'h68;
            8'hf8: y = 8'h41; 8'hf9: y = 8'h99; 8'hfa: y = 8'h2d; 8'hfb: y = 8'h0f;
            8'hfc: y = 8'hb0; 8'hfd: y = 8'h54; 8'hfe: y = 8'hbb; 8'hff: y = 8'h16;
        endcase
    end
endmodule

module aes_sbox #(parameter SHALLOW = 0, parameter TABLE = 0) (
    input [7:0] x,
    output [7:0] y
);
    generate
        if (TABLE) aes_sbox_table box (.x(x), .y(y));
        else aes_sbox_gates #(.SHALLOW(SHALLOW)) box (.x(x), .y(y));
    endgenerate
endmodule

// The round keys of a key of N words of 32 bits: 4 (N + 7) words, the first one highest.
module aes_expand #(parameter N = 4, parameter SHALLOW = 0, parameter TABLE = 0) (
    input [32*N-1:0] key,
    output [128*(N+7)-1:0] keys
);
    localparam WORDS = 4 * (N + 7);
    function [7:0] round(input integer n);
        integer i;
        begin
            round = 1;
            for (i = 1; i < n; i = i + 1) round = {round[6:0], 1'b0} ^ (round[7] ? 8'h1b : 8'h00);
        end
    endfunction
    genvar i, j;
    generate
        for (i = 0; i < WORDS; i = i + 1) begin : word
            wire [31:0] w;
            if (i < N) begin : given
                assign w = key[32*(N-1-i) +: 32];
            end else if (i % N == 0 || (N > 6 && i % N == 4)) begin : boxed
                wire [31:0] before = word[i-1].w;
                wire [31:0] from = i % N == 0 ? {before[23:0], before[31:24]} : before;
                wire [31:0] to;
                for (j = 0; j < 4; j = j + 1) begin : box
                    aes_sbox #(.SHALLOW(SHALLOW), .TABLE(TABLE)) s (.x(from[8*j +: 8]), .y(to[8*j +: 8]));
                end
                assign w = word[i-N].w ^ to ^ (i % N == 0 ? {round(i / N), 24'b0} : 32'b0);
            end else begin : plain
                assign w = word[i-N].w ^ word[i-1].w;
            end
            assign keys[32*(WORDS-1-i) +: 32] = w;
        end
    endgenerate
endmodule

// MixColumns of a column.
module aes_mix (
    input [31:0] x,
    output [31:0] y
);
    function [7:0] twice(input [7:0] a);
        twice = {a[6:0], 1'b0} ^ {3'b0, a[7], a[7], 1'b0, a[7], a[7]};
    endfunction
    wire [7:0] a = x[31:24];
    wire [7:0] b = x[23:16];
    wire [7:0] c = x[15:8];
    wire [7:0] d = x[7:0];
    wire [7:0] ab = a ^ b;
    wire [7:0] bc = b ^ c;
    wire [7:0] cd = c ^ d;
    wire [7:0] da = d ^ a;
    assign y = {twice(ab) ^ (b ^ cd), twice(bc) ^ (c ^ da), twice(cd) ^ (d ^ ab), twice(da) ^ (a ^ bc)};
endmodule

// A block under the round keys of a key of N words.
module aes_rounds #(parameter N = 4, parameter SHALLOW = 0, parameter TABLE = 0) (
    input [128*(N+7)-1:0] keys,
    input [127:0] block,
    output [127:0] y
);
    localparam ROUNDS = N + 6;
    genvar r, i;
    generate
        for (r = 0; r <= ROUNDS; r = r + 1) begin : round
            wire [127:0] state;
            wire [127:0] key = keys[128*(ROUNDS-r) +: 128];
            if (r == 0) begin : first
                assign state = block ^ key;
            end else begin : next
                wire [127:0] boxed, shifted, mixed;
                for (i = 0; i < 16; i = i + 1) begin : cell
                    aes_sbox #(.SHALLOW(SHALLOW), .TABLE(TABLE)) s (
                        .x(round[r-1].state[8*i +: 8]), .y(boxed[8*i +: 8])
                    );
                    // Row i % 4 (of byte i, the first one highest) moves by as many columns.
                    assign shifted[8*(15-i) +: 8] = boxed[8*(15-(5*i)%16) +: 8];
                end
                for (i = 0; i < 4; i = i + 1) begin : column
                    aes_mix m (.x(shifted[32*i +: 32]), .y(mixed[32*i +: 32]));
                end
                assign state = (r == ROUNDS ? shifted : mixed) ^ key;
            end
        end
    endgenerate
    assign y = round[ROUNDS].state;
endmodule

// A block under a key of N words.
module aes #(parameter N = 4, parameter SHALLOW = 0, parameter TABLE = 0) (
    input [32*N-1:0] key,
    input [127:0] block,
    output [127:0] y
);
    wire [128*(N+7)-1:0] keys;
    aes_expand #(.N(N), .SHALLOW(SHALLOW), .TABLE(TABLE)) expand (.key(key), .keys(keys));
    aes_rounds #(.N(N), .SHALLOW(SHALLOW), .TABLE(TABLE)) rounds (.keys(keys), .block(block), .y(y));
endmodule
