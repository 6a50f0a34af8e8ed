// Encoding of AVX-VNNI's instructions. AVX-512 VNNI has the same instructions in another encoding, with which tests run
// these kernels on processors without AVX-VNNI.
#pragma once

#ifndef TVMQ_VEX
#define TVMQ_VEX "%{vex%} "
#endif
