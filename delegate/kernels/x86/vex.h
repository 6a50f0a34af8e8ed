// How AVX-VNNI's instructions are encoded: AVX-512 VNNI has the same ones in another encoding, by which tests run these kernels on processors without AVX-VNNI.
#pragma once

#ifndef TVMQ_VEX
#define TVMQ_VEX "%{vex%} "
#endif
