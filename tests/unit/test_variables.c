// Resource variables of a graph, on the fake runtime: which the delegate keeps, with which first value, and why not the others.
#include <stdlib.h>
#include <string.h>

#include "fake_runtime.h"
#include "operators/op_names.h"
#include "tflite/variables.h"
#include "unit.h"

enum { SIZE = 6, NONE = -1 };

static const int8_t first[SIZE] = {1, -2, 3, -4, 5, -6};
static const int dims[] = {2, 3, 0};
static int n_acquired;

static TfLiteStatus acquire(TfLiteContext *context, int index, TfLiteContext **acquired) {
  struct fake *fake = ((struct fake_subgraph *)context->impl_)->fake;
  if (index < 0 || index >= FAKE_SUBGRAPHS) {
    context->ReportError(context, "there is no graph %d", index);
    return kTfLiteError;
  }
  n_acquired++;
  *acquired = &fake->subgraphs[index].context;
  return kTfLiteOk;
}

static TfLiteStatus release(TfLiteContext *context, int index) {
  (void)context;
  CHECK(index == 1, "graph %d is released, not the one that the delegate is applied to", index);
  n_acquired--;
  return kTfLiteOk;
}

// A node of an operator that the fake runtime has no kernel for.
static void add(struct fake_subgraph *graph, int code, int n_inputs, const int *inputs, int out, void *options) {
  TfLiteNode *node;
  TfLiteRegistration *registration;
  const int index = fake_builtin(graph, code, n_inputs, inputs, out, options);
  graph->fake->applying = true;
  graph->context.GetNodeAndRegistration(&graph->context, index, &node, &registration);
  graph->fake->applying = false;
  registration->builtin_code = code;
}

// A graph that reads and assigns a variable, and one that gives it its first value.
struct pair {
  struct fake *fake;
  struct fake_subgraph *main, *once;
  int handle, once_handle, once_value;  // tensors
};

static int add_handle(struct fake_subgraph *graph, const char *name) {
  TfLiteVarHandleParams *params = calloc(1, sizeof *params);
  params->shared_name = name;
  const int tensor = fake_tensor(graph, kTfLiteResource, (int[]){0}, 0, 0, NULL);
  add(graph, TVMQ_BUILTIN_VAR_HANDLE, 0, NULL, tensor, params);
  return tensor;
}

static void add_once(struct pair *p, int graph) {
  TfLiteCallOnceParams *params = calloc(1, sizeof *params);
  params->init_subgraph_index = graph;
  add(p->main, TVMQ_BUILTIN_CALL_ONCE, 0, NULL, NONE, params);
}

static int add_value(struct fake_subgraph *graph, const int8_t *data) { return fake_tensor(graph, kTfLiteInt8, dims, 0, 0, data); }
static void add_read(struct pair *p) { add(p->main, TVMQ_BUILTIN_READ_VARIABLE, 1, &p->handle, add_value(p->main, NULL), NULL); }

static void assign(struct fake_subgraph *graph, int handle, int value) { add(graph, TVMQ_BUILTIN_ASSIGN_VARIABLE, 2, (int[]){handle, value}, NONE, NULL); }

static struct pair begin(void) {
  struct pair p = {.fake = fake_create(88)};
  p.main = &p.fake->subgraphs[0];
  p.once = &p.fake->subgraphs[1];
  p.main->context.AcquireSubgraphContext = acquire;
  p.main->context.ReleaseSubgraphContext = release;
  p.once_handle = add_handle(p.once, "state");
  p.once_value = add_value(p.once, first);
  assign(p.once, p.once_handle, p.once_value);
  return p;
}

static struct pair usual(void) {
  struct pair p = begin();
  add_once(&p, 1);
  p.handle = add_handle(p.main, "state");
  add_read(&p);
  assign(p.main, p.handle, add_value(p.main, NULL));
  return p;
}

// Ends the pair. What is expected: of the variable, and of CALL_ONCE; "" where the delegate takes it.
static void expect(struct pair *p, const char *what, const char *reason, const char *once_reason) {
  p->fake->applying = true;
  n_acquired = 1;  // the graph itself stays so
  void (*const report)(TfLiteContext *, const char *, ...) = p->main->context.ReportError;
  struct tvmq_variables *variables = tvmq_variables_create(&p->main->context);
  CHECK(p->main->context.ReportError == report && p->fake->error[0] == '\0', "%s: the runtime reports %s", what, p->fake->error);
  const char *got = tvmq_variables_refuse(variables, p->handle), *got_once = tvmq_variables_refuse_once(variables);
  CHECK(strcmp(got != NULL ? got : "", reason) == 0, "%s: the variable: %s", what, got != NULL ? got : "kept");
  CHECK(strcmp(got_once != NULL ? got_once : "", once_reason) == 0, "%s: CALL_ONCE: %s", what, got_once != NULL ? got_once : "taken");
  const bool done = once_reason[0] == '\0';
  CHECK(tvmq_variables_initialized_by(variables, &p->once->context) == done && !tvmq_variables_initialized_by(variables, &p->main->context), "%s: its graph",
        what);
  const struct tvmq_variable *variable = tvmq_variables_find(variables, p->handle);
  CHECK((variable != NULL) == (reason[0] == '\0'), "%s: found", what);
  if (variable != NULL) {
    CHECK(variable->tensor.type == kTfLiteInt8 && variable->tensor.bytes == SIZE && memcmp(variable->tensor.data, first, SIZE) == 0, "%s: first value", what);
    CHECK(variable->tensor.dims->size == 2 && variable->tensor.dims->data[1] == 3 && variable->n_nodes == 3, "%s: shape and nodes", what);
  }
  CHECK(p->fake->misuses == 0, "%s: %d calls that the interface forbids", what, p->fake->misuses);
  tvmq_variables_free(variables);
  fake_destroy(p->fake);
}

static const char kept_by_runtime[] = "a variable that it initializes is left to the runtime";

static void check_kept(void) {
  struct pair p = usual();
  expect(&p, "usual", "", "");
}

static void check_main(void) {
  struct pair p = begin();
  p.handle = add_handle(p.main, "state");
  add_read(&p);
  add_once(&p, 1);
  expect(&p, "read before", "the variable is used before it is initialized", kept_by_runtime);

  p = usual();
  add_handle(p.main, "state");
  expect(&p, "two handles", "the variable has more than one handle", kept_by_runtime);

  p = usual();
  add(p.main, TVMQ_BUILTIN_RESHAPE, 1, &p.handle, add_value(p.main, NULL), NULL);
  expect(&p, "another user", "a node other than READ_VARIABLE or ASSIGN_VARIABLE uses the variable", kept_by_runtime);

  p = usual();
  p.main->tensors[p.handle].data = malloc(sizeof(int32_t));
  expect(&p, "prepared before", "the graph was prepared before the delegate was applied, and may have changed the variable", kept_by_runtime);

  p = begin();
  add_once(&p, 1);
  p.handle = add_handle(p.main, "other");
  expect(&p, "another name", "CALL_ONCE does more than initialize variables with constants",
         "its subgraph does more than assign constants to variables of this graph");

  p = usual();
  p.handle = 0;
  p.main->context.AcquireSubgraphContext = NULL;
  expect(&p, "a runtime that shows no other graph", "CALL_ONCE does more than initialize variables with constants", "its subgraph is unknown");
}

static void check_once(void) {
  struct pair p = usual();
  assign(p.once, p.once_handle, p.once_value);
  expect(&p, "two first values", "the variable is initialized twice", kept_by_runtime);

  p = usual();
  p.once->tensors[p.once_value].allocation_type = kTfLiteArenaRw;
  p.once->tensors[p.once_value].data = malloc(SIZE);
  expect(&p, "computed", "the variable's initial value is not constant", kept_by_runtime);

  p = usual();
  p.once->tensors[p.once_value].bytes = SIZE + 1;
  expect(&p, "too long", "size and shape of the variable's initial value differ", kept_by_runtime);
  p = usual();
  p.once->tensors[p.once_value].bytes = SIZE - 1;
  expect(&p, "too short", "a constant has fewer bytes than its shape needs", kept_by_runtime);

  p = begin();
  add_once(&p, 7);
  p.handle = add_handle(p.main, "state");
  add_read(&p);
  expect(&p, "no such graph", "another subgraph of the model uses the variable", "its subgraph is unknown");

  p = usual();
  add_once(&p, 1);
  expect(&p, "twice", "another subgraph of the model uses the variable", "its subgraph is unknown");
}

int main(void) {
  check_kept();
  check_main();
  check_once();
  return unit_report();
}
