// Portable transform of Winograd inputs.
#define SYMBOL tvmq_winograd_input_s8_8c__c
#define LANES 8
#include "kernels/winograd_input_template.h"
