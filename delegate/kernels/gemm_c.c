// Portable gemm: the fallback for any processor. Products of int8 and of int16 by int8 both fit int32; sums wrap.
#include "kernel.h"
#include "requant.h"

#define SYMBOL tvmq_gemm_s8_4x8__c
#define MR 4
#define NR 8
#define IN uint8_t
#define OUT uint8_t
#define ACC int32_t
#define UNSIGNED_ACC uint32_t
#define LOAD(x) ((int8_t)((x) ^ args->in_flip))
#define STORE(acc, multiplier, shift) ((uint8_t)(tvmq_stage_s32(args->stage, acc, multiplier, shift) ^ args->stage->flip))
#include "gemm_c_template.h"
