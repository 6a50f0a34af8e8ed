#include "opencl/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"

enum { MOST = 16, LEAST_GROUP = 64 };  // platforms, or devices of a platform, that are looked at; work items of a group

// Returns the text that the device has for `what`, to be released with tvmq_free(), or NULL.
static char *text_of(const struct tvmq_cl *cl, tvmq_cl_device device, uint32_t what) {
  size_t size;
  if (cl->GetDeviceInfo(device, what, 0, NULL, &size) != TVMQ_CL_SUCCESS) return NULL;
  char *const text = tvmq_alloc(size + 1);
  if (text == NULL || cl->GetDeviceInfo(device, what, size, text, NULL) == TVMQ_CL_SUCCESS) return text;
  tvmq_free(text);
  return NULL;
}

static void copy_text(const struct tvmq_cl *cl, tvmq_cl_device device, uint32_t what, char out[TVMQ_CL_NAME]) {
  char *const found = text_of(cl, device, what);
  struct tvmq_text text = {.at = out, .size = TVMQ_CL_NAME};
  out[0] = '\0';
  tvmq_say_escaped(&text, found != NULL ? found : "?");
  tvmq_free(found);
}

// Returns a number that the device has for `what`; 0 if it has none.
static uint64_t number_of(const struct tvmq_cl *cl, tvmq_cl_device device, uint32_t what, size_t size) {
  uint64_t number = 0;  // little endian: a smaller number fills the lower bytes
  return cl->GetDeviceInfo(device, what, size, &number, NULL) == TVMQ_CL_SUCCESS ? number : 0;
}
#define NUMBER(type, what) number_of(cl, found->device, (what), sizeof(type))

static bool has_extension(const char *extensions, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = extensions; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

static enum tvmq_cl_dot dot_of(const struct tvmq_cl *cl, tvmq_cl_device device) {
  char *const extensions = text_of(cl, device, TVMQ_CL_DEVICE_EXTENSIONS);
  enum tvmq_cl_dot dot = TVMQ_CL_DOT_PLAIN;
  if (extensions != NULL && has_extension(extensions, "cl_khr_integer_dot_product")) dot = TVMQ_CL_DOT_KHRONOS;
  if (extensions != NULL && has_extension(extensions, "cl_arm_integer_dot_product_accumulate_int8")) dot = TVMQ_CL_DOT_ARM;
  tvmq_free(extensions);
  return dot;
}

// Returns whether the device's version, "OpenCL 1.2 ...", is 1.2 or later.
static bool is_recent(const struct tvmq_cl *cl, tvmq_cl_device device) {
  char *const version = text_of(cl, device, TVMQ_CL_DEVICE_VERSION);
  char *end = NULL;
  const bool named = version != NULL && strncmp(version, "OpenCL ", 7) == 0;
  const long major = named ? strtol(version + 7, &end, 10) : 0, minor = end != NULL && *end == '.' ? strtol(end + 1, NULL, 10) : 0;
  tvmq_free(version);
  return major > 1 || (major == 1 && minor >= 2);
}

// Fills in what the device is. Returns NULL, or why it is not used (static string).
static const char *examine(const struct tvmq_cl *cl, struct tvmq_opencl_device *found) {
  const uint64_t wanted = TVMQ_CL_FP_ROUND_TO_NEAREST | TVMQ_CL_FP_FMA;
  found->dot = dot_of(cl, found->device);
  found->most_bytes = (size_t)NUMBER(uint64_t, TVMQ_CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  found->is_gpu = (NUMBER(uint64_t, TVMQ_CL_DEVICE_TYPE) & TVMQ_CL_DEVICE_TYPE_GPU) != 0;
  if (NUMBER(uint32_t, TVMQ_CL_DEVICE_AVAILABLE) == 0) return "it is not available";
  if (NUMBER(uint32_t, TVMQ_CL_DEVICE_COMPILER_AVAILABLE) == 0) return "it has no compiler";
  if (NUMBER(uint32_t, TVMQ_CL_DEVICE_ENDIAN_LITTLE) == 0) return "it is big-endian";
  if (!is_recent(cl, found->device)) return "it has no OpenCL 1.2";
  if ((NUMBER(uint64_t, TVMQ_CL_DEVICE_SINGLE_FP_CONFIG) & wanted) != wanted) return "it has no fused multiply-add of float32 that rounds to nearest";
  if (NUMBER(size_t, TVMQ_CL_DEVICE_MAX_WORK_GROUP_SIZE) < LEAST_GROUP) return "its work groups have fewer than 64 items";
  // Without the instruction, products of bytes take about ten times as long as on a CPU.
  if (found->is_gpu && found->dot == TVMQ_CL_DOT_PLAIN) return "it is a GPU without products of four bytes (cl_khr_integer_dot_product)";
  return NULL;
}

// Keeps the device if it is better than the one found before.
static void consider(struct tvmq_opencl_device *best, tvmq_cl_device device, const char *name, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &best->library.call;
  const bool any = strcmp(name, "auto") == 0;
  struct tvmq_opencl_device found = {.library = best->library, .device = device};
  copy_text(cl, device, TVMQ_CL_DEVICE_NAME, found.name);
  copy_text(cl, device, TVMQ_CL_DRIVER_VERSION, found.driver);
  const char *const reason = any || strstr(found.name, name) != NULL ? examine(cl, &found) : "opencl_device names another";
  if (reason != NULL)
    tvmq_say(why, "; %s: %s", found.name, reason);
  else if (best->device == NULL || (any && found.is_gpu && !best->is_gpu))
    *best = found;
}

bool tvmq_opencl_probe(struct tvmq_opencl_device *device, const char *name, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &device->library.call;
  tvmq_cl_platform platforms[MOST];
  uint32_t n_platforms = 0;
  tvmq_say(why, "no OpenCL device can be used");
  const int32_t status = cl->GetPlatformIDs(MOST, platforms, &n_platforms);
  if (status != TVMQ_CL_SUCCESS) tvmq_say(why, "; clGetPlatformIDs returned %d", status);
  for (uint32_t p = 0; status == TVMQ_CL_SUCCESS && p < tvmq_min(n_platforms, MOST); p++) {
    tvmq_cl_device devices[MOST];
    uint32_t n = 0;
    const int32_t listed = cl->GetDeviceIDs(platforms[p], TVMQ_CL_DEVICE_TYPE_ALL, MOST, devices, &n);
    if (listed != TVMQ_CL_SUCCESS) tvmq_say(why, "; clGetDeviceIDs returned %d", listed);
    for (uint32_t d = 0; listed == TVMQ_CL_SUCCESS && d < tvmq_min(n, MOST); d++) consider(device, devices[d], name, why);
  }
  return device->device != NULL;
}
