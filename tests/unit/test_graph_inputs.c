// Inputs of a graph that are constants: found in a model's bytes, whatever else these hold.
#include "base/memory.h"
#include "support/guard.h"
#include "tflite/graph_inputs.h"
#include "unit.h"

enum { SIZE = 164, DATA = 148 };

static void put(uint8_t *at, size_t width, size_t n, const uint32_t *values) {
  for (size_t i = 0; i < n; i++) memcpy(at + i * width, &values[i], width);
}
#define PUT16(at, ...) put(file + (at), 2, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})
#define PUT32(at, ...) put(file + (at), 4, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

// A model of one graph, whose only tensor is a constant and an input.
static void make_model(uint8_t *file) {
  memset(file, 0, SIZE);
  PUT32(0, 24);
  memcpy(file + 4, "TFL3", 4);
  PUT16(8, 14, 12, 0, 0, 4, 0, 8);       // fields of a model
  PUT32(24, 24 - 8, 36 - 28, 104 - 32);  // the model: its graphs and buffers
  PUT32(36, 1, 56 - 40);                 // graphs
  PUT16(44, 8, 12, 4, 8);
  PUT32(56, 56 - 44, 68 - 60, 76 - 64);  // the graph: its tensors and inputs
  PUT32(68, 1, 96 - 72);                 // tensors
  PUT32(76, 1, 0);                       // inputs
  PUT16(84, 10, 8, 0, 0, 4);
  PUT32(96, 96 - 84, 1);                // the tensor: its buffer
  PUT32(104, 2, 128 - 108, 136 - 112);  // buffers
  PUT16(116, 6, 8, 4);
  PUT16(124, 4, 4);
  PUT32(128, 128 - 124);                 // an empty one
  PUT32(136, 136 - 116, 144 - 140, 16);  // one with 16 bytes
}

struct scene {
  TfLiteAllocation allocation;
  TfLiteTensor tensor;
  TfLiteContext context;
};

static void set(struct scene *scene, uint8_t *file, size_t size) {
  scene->allocation = (TfLiteAllocation){.base = file, .bytes = size};
  scene->tensor = (TfLiteTensor){.data = file + DATA, .bytes = SIZE - DATA, .allocation_type = kTfLiteMmapRo, .allocation = &scene->allocation};
  scene->context = (TfLiteContext){.tensors_size = 1, .tensors = &scene->tensor};
}

// How many there are; SIZE_MAX: they are not the tensor.
static size_t count(struct scene *scene) {
  struct {
    int size, data[1];
  } index = {1, {0}};
  const TfLiteNode node = {.inputs = (TfLiteIntArray *)(void *)&index};
  struct tvmq_graph_inputs *inputs = tvmq_graph_inputs_create(&scene->context);
  if (inputs == NULL) return SIZE_MAX;
  const size_t n = tvmq_graph_inputs_read(inputs, &scene->context, &node) == (inputs->n == 1) ? inputs->n : SIZE_MAX;
  tvmq_free(inputs);
  return n;
}

static void check_found(uint8_t *file) {
  struct scene scene;
  make_model(file);
  set(&scene, file, SIZE);
  CHECK(count(&scene) == 1, "a constant that is an input");
  PUT32(76, 0);
  CHECK(count(&scene) == 0, "a constant that is none");
}

static void check_unknown(uint8_t *file) {
  struct scene scene;
  make_model(file);
  set(&scene, file, SIZE);
  scene.tensor.allocation = NULL;
  CHECK(count(&scene) == 0, "no allocation");
  set(&scene, file, SIZE - 1);
  CHECK(count(&scene) == 0, "a constant that ends behind the file");
  set(&scene, file + 1, SIZE - 1);
  scene.tensor.data = file;
  CHECK(count(&scene) == 0, "a constant in front of the file");
  set(&scene, file, SIZE);
  file[4]++;
  CHECK(count(&scene) == 0, "not a model");
}

// The file's end is inaccessible.
static void check_damaged(uint8_t *file) {
  static const uint8_t values[] = {0, 1, 2, 24, 0x7f, 0x80, 0xff};
  struct scene scene;
  size_t n_others = 0;
  for (size_t i = 0; i < SIZE; i++) {
    for (size_t j = 0; j < sizeof values; j++) {
      for (size_t width = 1; width <= 4 && i + width <= SIZE; width *= 2) {
        make_model(file);
        memset(file + i, values[j], width);
        set(&scene, file, SIZE);
        struct tvmq_graph_inputs *inputs = tvmq_graph_inputs_create(&scene.context);
        n_others += inputs != NULL && inputs->n != 1;
        tvmq_free(inputs);
      }
    }
  }
  CHECK(n_others > 100, "damage is read");
}

int main(void) {
  const struct guard guard = guard_create(1, SIZE, GUARD_READ_WRITE);
  uint8_t *file = guard_at(&guard, 0, SIZE, GUARD_END);
  check_found(file);
  check_unknown(file);
  check_damaged(file);
  CHECK(tvmq_alloc_live() == 0, "all is released");
  return unit_report();
}
