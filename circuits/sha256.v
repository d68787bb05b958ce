// SHA-256 (FIPS 180-4): one block into the state. Words are numbers of 32 bits, the first one highest.
module sha256_compress (
    input [255:0] state,
    input [511:0] block,
    output [255:0] y
);
    localparam [2047:0] K = {
        32'h428a2f98, 32'h71374491, 32'hb5c0fbcf, 32'he9b5dba5, 32'h3956c25b, 32'h59f111f1, 32'h923f82a4, 32'hab1c5ed5,
        32'hd807aa98, 32'h12835b01, 32'h243185be, 32'h550c7dc3, 32'h72be5d74, 32'h80deb1fe, 32'h9bdc06a7, 32'hc19bf174,
        32'he49b69c1, 32'hefbe4786, 32'h0fc19dc6, 32'h240ca1cc, 32'h2de92c6f, 32'h4a7484aa, 32'h5cb0a9dc, 32'h76f988da,
        32'h983e5152, 32'ha831c66d, 32'hb00327c8, 32'hbf597fc7, 32'hc6e00bf3, 32'hd5a79147, 32'h06ca6351, 32'h14292967,
        32'h27b70a85, 32'h2e1b2138, 32'h4d2c6dfc, 32'h53380d13, 32'h650a7354, 32'h766a0abb, 32'h81c2c92e, 32'h92722c85,
        32'ha2bfe8a1, 32'ha81a664b, 32'hc24b8b70, 32'hc76c51a3, 32'hd192e819, 32'hd6990624, 32'hf40e3585, 32'h106aa070,
        32'h19a4c116, 32'h1e376c08, 32'h2748774c, 32'h34b0bcb5, 32'h391c0cb3, 32'h4ed8aa4a, 32'h5b9cca4f, 32'h682e6ff3,
        32'h748f82ee, 32'h78a5636f, 32'h84c87814, 32'h8cc70208, 32'h90befffa, 32'ha4506ceb, 32'hbef9a3f7, 32'hc67178f2
    };
    genvar t;
    generate
        for (t = 0; t < 64; t = t + 1) begin : word
            wire [31:0] w;
            if (t < 16) begin : given
                assign w = block[32*(15-t) +: 32];
            end else begin : made
                wire [31:0] x = word[t-15].w;
                wire [31:0] z = word[t-2].w;
                wire [31:0] s0 = {x[6:0], x[31:7]} ^ {x[17:0], x[31:18]} ^ {3'b0, x[31:3]};
                wire [31:0] s1 = {z[16:0], z[31:17]} ^ {z[18:0], z[31:19]} ^ {10'b0, z[31:10]};
                assign w = word[t-16].w + s0 + word[t-7].w + s1;
            end
        end
        for (t = 0; t <= 64; t = t + 1) begin : round
            wire [31:0] a, b, c, d, e, f, g, h;
            if (t == 0) begin : first
                assign {a, b, c, d, e, f, g, h} = state;
            end else begin : next
                wire [31:0] pa = round[t-1].a;
                wire [31:0] pb = round[t-1].b;
                wire [31:0] pc = round[t-1].c;
                wire [31:0] pe = round[t-1].e;
                wire [31:0] pf = round[t-1].f;
                wire [31:0] pg = round[t-1].g;
                wire [31:0] s0 = {pa[1:0], pa[31:2]} ^ {pa[12:0], pa[31:13]} ^ {pa[21:0], pa[31:22]};
                wire [31:0] s1 = {pe[5:0], pe[31:6]} ^ {pe[10:0], pe[31:11]} ^ {pe[24:0], pe[31:25]};
                wire [31:0] choose = (pe & (pf ^ pg)) ^ pg;
                wire [31:0] most = ((pa ^ pc) & (pb ^ pc)) ^ pc;
                wire [31:0] kw = K[32*(64-t) +: 32] + word[t-1].w;
                wire [31:0] t1 = round[t-1].h + s1 + choose + kw;
                assign a = t1 + s0 + most;
                assign e = round[t-1].d + t1;
                assign {b, c, d} = {pa, pb, pc};
                assign {f, g, h} = {pe, pf, pg};
            end
        end
        for (t = 0; t < 8; t = t + 1) begin : sum
            wire [255:0] last = {
                round[64].a, round[64].b, round[64].c, round[64].d,
                round[64].e, round[64].f, round[64].g, round[64].h
            };
            assign y[32*t +: 32] = state[32*t +: 32] + last[32*t +: 32];
        end
    endgenerate
endmodule
