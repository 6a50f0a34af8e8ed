"""The parts of tools/arm/estimate: blocks that an emulated process executes, priced by llvm-mca's models of cores. docs/arm-estimates.md describes it."""
