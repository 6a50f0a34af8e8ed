// Instruction-set features, one bit each. A kernel needs a set of features; a CPU offers a set.
//
// The features are not ordered: an Arm core may offer i8mm without dotprod.
#pragma once

enum tvmq_cpu_bits {
  TVMQ_CPU_NEON = 1u << 0,         // AArch64 Advanced SIMD
  TVMQ_CPU_DOTPROD = 1u << 1,      // sdot, udot (Armv8.2 FEAT_DotProd)
  TVMQ_CPU_I8MM = 1u << 2,         // smmla, usdot (Armv8.6 FEAT_I8MM)
  TVMQ_CPU_AVX2 = 1u << 8,         // AVX2 with FMA and BMI, which every AVX2 machine has
  TVMQ_CPU_AVXVNNI = 1u << 9,      // 256-bit vpdpbusd in VEX encoding
  TVMQ_CPU_AVX512VNNI = 1u << 10,  // AVX-512 F, BW, DQ, VL and VNNI together
  TVMQ_CPU_AMX = 1u << 11,         // AMX tiles and their int8 products
  TVMQ_CPU_AVX512VBMI = 1u << 12   // byte permutations, in addition to TVMQ_CPU_AVX512VNNI
};
