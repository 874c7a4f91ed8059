/* The contract between the host and its plugins, in plain C.
 *
 * A plugin is a shared library that exports one data symbol, `aprx_plugin_v1`. It is data, so that
 * versions are read before any code of the plugin runs.
 *
 * Rules that hold for everything below:
 * - Every struct starts with its own size. Fields are only appended within a major version; a
 *   reader uses min(theirs, ours) and treats the rest as zero.
 * - Numbers of enumerations never change. A value that the reader doesn't know is refused.
 * - Who allocates frees, through the same table. Strings that are returned live as long as the
 *   object that returned them; strings and arrays that are passed live for the call.
 * - No exception crosses the border. Nothing is written to standard output or error.
 * - Sizes are bytes unless the name says elements. Shapes are written outermost first; the last
 *   axis is contiguous. Strides are in elements.
 */
#ifndef APRX_ABI_H_
#define APRX_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define APRX_ABI_MAJOR 0
#define APRX_ABI_MINOR 1

#define APRX_EXPORT __attribute__((visibility("default")))

/* ---- results ---------------------------------------------------------------------------- */

typedef enum aprx_status {
  APRX_OK = 0,
  APRX_BAD_CALL = 1, /* the caller broke the contract */
  APRX_OUT_OF_MEMORY = 2,
  APRX_DEVICE_LOST = 3, /* only free and close are legal afterwards */
  APRX_INTERNAL = 4,    /* a bug in the plugin; the text says what */
  APRX_BAD_FILE = 5,    /* formats: the file is damaged or not of this format */
  APRX_CANCELLED = 6,
} aprx_status;

/* Filled by the callee; every text is cut to fit and ends in NUL. */
typedef struct aprx_error {
  uint32_t struct_size;
  uint32_t reserved;
  char file[512];     /* path concerned, if any */
  char subject[512];  /* tensor, key or field concerned, if any */
  char found[512];    /* what is wrong */
  char expected[256]; /* what would have been right, if that adds anything */
  char hint[256];     /* what helps, if anything */
} aprx_error;

/* Bytes with a length; not NUL-terminated, may hold any byte. */
typedef struct aprx_string {
  const char* data;
  uint64_t size;
} aprx_string;

/* ---- tensors ---------------------------------------------------------------------------- */

typedef enum aprx_dtype {
  APRX_DTYPE_UNKNOWN = 0,
  APRX_F32 = 1,
  APRX_F16 = 2,
  APRX_BF16 = 3,
  APRX_F64 = 4,
  APRX_I8 = 5,
  APRX_I16 = 6,
  APRX_I32 = 7,
  APRX_I64 = 8,
  APRX_Q4_0 = 9,
  APRX_Q4_1 = 10,
  APRX_Q5_0 = 11,
  APRX_Q5_1 = 12,
  APRX_Q8_0 = 13,
  APRX_Q8_1 = 14,
  APRX_Q2_K = 15,
  APRX_Q3_K = 16,
  APRX_Q4_K = 17,
  APRX_Q5_K = 18,
  APRX_Q6_K = 19,
  APRX_Q8_K = 20,
  APRX_IQ1_S = 21,
  APRX_IQ1_M = 22,
  APRX_IQ2_XXS = 23,
  APRX_IQ2_XS = 24,
  APRX_IQ2_S = 25,
  APRX_IQ3_XXS = 26,
  APRX_IQ3_S = 27,
  APRX_IQ4_NL = 28,
  APRX_IQ4_XS = 29,
  APRX_TQ1_0 = 30,
  APRX_TQ2_0 = 31,
  APRX_MXFP4 = 32,
  APRX_NVFP4 = 33,
  APRX_Q1_0 = 34,
  APRX_Q2_0 = 35,
  APRX_DTYPE_COUNT = 36,
} aprx_dtype;

typedef enum aprx_tensor_kind {
  APRX_ACTIVATION = 0, /* lives in the arena */
  APRX_WEIGHT = 1,     /* a matrix or table of the file, in the file's dtype */
  APRX_VECTOR = 2,     /* norm, bias, decay, conv taps: widened to F32 when prepared */
  APRX_STATE = 3,      /* KV cache or recurrent state of one sequence */
  APRX_INPUT = 4,      /* token ids, positions, row numbers: I32, lives in the arena */
} aprx_tensor_kind;

#define APRX_MAX_RANK 6

/* Values of shape[0] that are known only when a segment runs. */
#define APRX_DIM_TOKENS (-1) /* tokens of this run */
#define APRX_DIM_ROWS (-2)   /* rows whose logits are wanted */

typedef struct aprx_tensor {
  uint32_t struct_size;
  uint32_t dtype; /* aprx_dtype */
  uint32_t kind;  /* aprx_tensor_kind */
  uint32_t rank;  /* 1..APRX_MAX_RANK */
  int64_t shape[APRX_MAX_RANK];
  int64_t stride[APRX_MAX_RANK]; /* elements; stride[rank - 1] is 1 */
} aprx_tensor;

/* ---- operators (names, roles and attributes: aprx/op.hpp; meaning: docs/operators.md) ------- */

typedef struct aprx_operand {
  uint32_t role;      /* aprx::Role */
  uint32_t tensor;    /* index into the tensors passed beside */
  uint32_t is_output; /* 1: the node writes it */
  uint32_t reserved;
} aprx_operand;

typedef enum aprx_attribute_type {
  APRX_ATTR_INT = 1,
  APRX_ATTR_REAL = 2,
  APRX_ATTR_WORD = 3
} aprx_attribute_type;

typedef struct aprx_attribute {
  uint32_t id;   /* aprx::Attr */
  uint32_t type; /* aprx_attribute_type */
  union {
    int64_t integer; /* also the number of a word, aprx::Word */
    double real;
  } value;
} aprx_attribute;

typedef struct aprx_node {
  uint32_t struct_size;
  uint32_t op; /* aprx::Op */
  uint32_t operand_count;
  uint32_t attribute_count;
  const aprx_operand* operands;     /* inputs, states, outputs, in the operator's order */
  const aprx_attribute* attributes; /* sorted by id; every attribute of the operator is present */
} aprx_node;

/* ---- capability ------------------------------------------------------------------------- */

typedef enum aprx_reason {
  APRX_SUPPORTED = 0,
  APRX_DTYPE_UNKNOWN_REASON = 1,  /* the file's type id is unknown or retired */
  APRX_DTYPE_UNSUPPORTED = 2,     /* no kernel row for this operator and dtype */
  APRX_SHAPE_UNSUPPORTED = 3,     /* a row exists, its limits exclude this shape */
  APRX_LAYOUT_UNSUPPORTED = 4,    /* a row exists, it can't read these strides */
  APRX_ATTRIBUTE_UNSUPPORTED = 5, /* a row exists, not for this attribute value */
  APRX_OPERATOR_UNSUPPORTED = 6,  /* no row for this operator */
  APRX_ARCHITECTURE_UNKNOWN = 7,  /* no description of the model's architecture (host only) */
  APRX_MEMORY_INSUFFICIENT = 8,
  APRX_ISA_MISSING = 9,
  APRX_DEVICE_TOO_OLD = 10,
  APRX_DRIVER_MISSING = 11,
  APRX_DEVICE_ABSENT = 12,
  APRX_DEVICE_LOST_REASON = 13,
  APRX_EXCLUDED_BY_USER = 14, /* host only */
  APRX_PLUGIN_FAULT = 15,     /* host only */
  APRX_PLUGIN_UNTRUSTED = 16, /* host only */
  APRX_REASON_COUNT = 17,
} aprx_reason;

/* How far the look-up in the kernel table came. */
typedef enum aprx_stage {
  APRX_STAGE_OPERATOR = 0,
  APRX_STAGE_DTYPE = 1,
  APRX_STAGE_LIMITS = 2,
  APRX_STAGE_DONE = 3
} aprx_stage;

typedef struct aprx_query {
  uint32_t struct_size;
  uint32_t tokens_max; /* most tokens that one run will bring */
  const aprx_node* node;
  const aprx_tensor* tensors;
  uint32_t tensor_count;
  uint32_t reserved;
} aprx_query;

typedef struct aprx_verdict {
  uint32_t struct_size;
  uint32_t reason; /* aprx_reason */
  uint32_t stage;  /* aprx_stage */
  uint32_t role;   /* operand at fault (aprx::Role); the host turns it into a tensor's name */
  double bytes_per_token;
  double flops_per_token;
  char detail[160]; /* facts only: "K=100 is not a multiple of 32" */
} aprx_verdict;

/* One row of a device's kernel table, for listings. */
typedef struct aprx_kernel_row {
  uint32_t struct_size;
  uint32_t op;
  uint32_t dtype; /* dtype of the weight (or cache) that the row is for; 0 = any */
  uint32_t reserved;
  char name[64]; /* the kernel's own name */
} aprx_kernel_row;

/* ---- host services ---------------------------------------------------------------------- */

typedef enum aprx_log_level {
  APRX_LOG_DEBUG = 0,
  APRX_LOG_INFO = 1,
  APRX_LOG_WARNING = 2,
  APRX_LOG_ERROR = 3
} aprx_log_level;

/* Body of a parallel loop: does task `task`, on worker `worker` (0 .. workers-1). */
typedef void (*aprx_task_fn)(void* argument, uint32_t task, uint32_t worker);

typedef struct aprx_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  void* self; /* passed back as first argument */
  const char* version;
  void (*log)(void* self, uint32_t level, const char* message);
  /* Runs tasks 0 .. tasks-1 on the host's pool and returns when all are done. Not reentrant. */
  void (*parallel)(void* self, uint32_t tasks, aprx_task_fn body, void* argument);
  uint32_t (*workers)(void* self);
  uint32_t (*cancelled)(void* self); /* 1: stop soon and return APRX_CANCELLED */
} aprx_host;

/* ---- plugin ------------------------------------------------------------------------------ */

typedef enum aprx_plugin_kind { APRX_KIND_BACKEND = 1, APRX_KIND_FORMAT = 2 } aprx_plugin_kind;

typedef struct aprx_plugin {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  uint32_t kind; /* aprx_plugin_kind */
  uint32_t reserved;
  const char* name;
  const char* version;
  /* `interface` receives the table of the plugin's kind: aprx_backend or aprx_format. The host
     outlives the plugin's object. */
  aprx_status (*open)(const aprx_host* host, void** self, const void** interface, aprx_error* error);
  void (*close)(void* self);
} aprx_plugin;

#define APRX_PLUGIN_SYMBOL "aprx_plugin_v1"

/* ---- backend ------------------------------------------------------------------------------ */

#define APRX_DEVICE_YARDSTICK 1u   /* a reference to measure others by: never chosen by `auto` */
#define APRX_DEVICE_HOST_MEMORY 2u /* works in the host's memory */

typedef struct aprx_device_info {
  uint32_t struct_size;
  uint32_t flags;
  char id[64];             /* stable over runs; "cpu", "cuda:0" */
  char name[128];          /* "NVIDIA RTX 4090"; for a CPU its model name */
  char target[64];         /* instruction set or compute capability in use: "AVX2" */
  double bytes_per_second; /* memory bandwidth estimate, for the planner; 0 = unknown */
  double flops_per_second;
} aprx_device_info;

typedef struct aprx_memory_info {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t total;
  uint64_t free;
} aprx_memory_info;

/* An instruction-set target (or compiled architecture) of the backend. */
typedef struct aprx_target_info {
  uint32_t struct_size;
  uint32_t usable; /* 1: the machine has it and its self-test passed */
  uint32_t in_use; /* 1: kernels dispatch to it now */
  uint32_t reserved;
  char name[32];
  char detail[160]; /* why it isn't usable */
} aprx_target_info;

typedef struct aprx_context_options {
  uint32_t struct_size;
  uint32_t reserved;
  const char* target; /* name of the target to use at most; NULL or "" = the best usable */
} aprx_context_options;

/* A tensor of the file, to be made ready for kernels. */
typedef struct aprx_weight_source {
  uint32_t struct_size;
  uint32_t reserved;
  aprx_tensor tensor; /* the file's dtype and shape; kind is APRX_WEIGHT or APRX_VECTOR */
  const void* data;   /* stays mapped until the host learns that a copy was kept */
  uint64_t size;
  /* May be NULL. Says that the first `bytes` of data won't be read again: while a large tensor is copied, the
   * host lets go of what is done with. */
  void (*consumed)(void* reader, uint64_t bytes);
  void* reader;
} aprx_weight_source;

typedef enum aprx_place_kind {
  APRX_PLACE_ARENA = 0,
  APRX_PLACE_WEIGHT = 1,
  APRX_PLACE_STATE = 2
} aprx_place_kind;

/* Where a tensor of a segment lies. */
typedef struct aprx_place {
  uint32_t kind;   /* aprx_place_kind */
  uint32_t state;  /* APRX_PLACE_STATE: index into aprx_run.states */
  uint64_t offset; /* bytes from the start of the arena or the state's buffer */
  void* weight;    /* APRX_PLACE_WEIGHT: what weight_prepare gave */
} aprx_place;

typedef struct aprx_segment {
  uint32_t struct_size;
  uint32_t tokens_max;
  uint32_t rows_max;
  uint32_t node_count;
  uint32_t tensor_count;
  uint32_t reserved;
  const aprx_node* nodes;
  const aprx_tensor* tensors; /* all tensors that the nodes' operands index */
  const aprx_place* places;   /* one a tensor */
  uint64_t workspace_offset;  /* in the arena */
  uint64_t workspace_size;    /* what workspace_size() asked for */
} aprx_segment;

typedef struct aprx_run {
  uint32_t struct_size;
  uint32_t tokens; /* <= tokens_max; may be 0 */
  uint32_t rows;   /* <= rows_max; may be 0 */
  uint32_t state_count;
  void* arena;         /* a buffer of buffer_alloc */
  void* const* states; /* buffers of buffer_alloc */
} aprx_run;

/* Threads: probe, kernel_row, device_*, target_* may be called from any thread, take < 1 ms and
 * allocate nothing that outlives the call (the first device_count may initialise a driver, < 2 s).
 * A context's calls come from one thread at a time. */
typedef struct aprx_backend {
  uint32_t struct_size;
  uint32_t reserved;
  /* Whether the backend can be used at all here: reason and detail, or APRX_SUPPORTED. */
  void (*availability)(void* self, aprx_verdict* verdict);
  uint32_t (*device_count)(void* self);
  aprx_status (*device_describe)(void* self, uint32_t device, aprx_device_info* info);
  aprx_status (*memory_info)(void* self, uint32_t device, aprx_memory_info* info);
  uint32_t (*target_count)(void* self);
  aprx_status (*target_describe)(void* self, uint32_t index, aprx_target_info* info);
  void (*probe)(void* self, uint32_t device, const aprx_query* query, aprx_verdict* verdict);
  /* Row `index` of the kernel table; returns 0 past the end. */
  uint32_t (*kernel_row)(void* self, uint32_t device, uint32_t index, aprx_kernel_row* row);

  aprx_status (*context_create)(void* self, uint32_t device, const aprx_context_options* options,
                                void** context, aprx_error* error);
  void (*context_destroy)(void* self, void* context);
  aprx_status (*context_synchronize)(void* self, void* context, aprx_error* error);
  uint64_t (*bytes_in_use)(void* self, void* context); /* of buffers and prepared copies */

  aprx_status (*buffer_alloc)(void* self, void* context, uint64_t size, void** buffer,
                              aprx_error* error); /* zeroed */
  void (*buffer_free)(void* self, void* context, void* buffer);
  aprx_status (*buffer_write)(void* self, void* context, void* buffer, uint64_t offset, const void* data,
                              uint64_t size, aprx_error* error);
  aprx_status (*buffer_read)(void* self, void* context, const void* buffer, uint64_t offset, void* data,
                             uint64_t size, aprx_error* error);

  /* `keeps_source` becomes 1 if the prepared form points into the source, 0 if it is a copy. */
  aprx_status (*weight_prepare)(void* self, void* context, const aprx_weight_source* source, void** weight,
                                uint32_t* keeps_source, aprx_error* error);
  void (*weight_release)(void* self, void* context, void* weight);

  /* Bytes of the arena that the segment's kernels want for themselves; places are not read. */
  aprx_status (*workspace_size)(void* self, uint32_t device, const aprx_segment* segment, uint64_t* size,
                                aprx_error* error);
  aprx_status (*segment_compile)(void* self, void* context, const aprx_segment* segment, void** compiled,
                                 aprx_error* error);
  void (*segment_destroy)(void* self, void* context, void* compiled);
  /* Allocates nothing. May enqueue; context_synchronize waits and reports. */
  aprx_status (*segment_run)(void* self, void* context, void* compiled, const aprx_run* run,
                             aprx_error* error);
} aprx_backend;

/* ---- format -------------------------------------------------------------------------------- */

/* How a format plugin reads files: the host owns the descriptors, checks bounds and survives files
 * that shrink. Opened files stay open until the model is closed. */
typedef struct aprx_files {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  /* Opens `path` for reading; `index` numbers the files of this model from 0 on. */
  aprx_status (*open)(void* self, const char* path, uint32_t* index, uint64_t* size, aprx_error* error);
  /* Reads exactly `size` bytes; less is APRX_BAD_FILE, whose text says where the file ends. */
  aprx_status (*read)(void* self, uint32_t index, uint64_t offset, void* data, uint64_t size,
                      aprx_error* error);
} aprx_files;

typedef enum aprx_value_type {
  APRX_VALUE_INT = 1,  /* integer */
  APRX_VALUE_UINT = 2, /* unsigned_integer; only for values above INT64_MAX */
  APRX_VALUE_REAL = 3,
  APRX_VALUE_BOOL = 4, /* integer, 0 or 1 */
  APRX_VALUE_STRING = 5,
  APRX_VALUE_ARRAY = 6,
} aprx_value_type;

typedef struct aprx_value {
  uint32_t struct_size;
  uint32_t type;      /* aprx_value_type */
  uint32_t item_type; /* of an array: one type for all items; 0 if it is empty or nested */
  uint32_t reserved;
  uint64_t count; /* of an array */
  int64_t integer;
  uint64_t unsigned_integer;
  double real;
  aprx_string string;
  char type_name[24]; /* the format's own word: "uint32", "array of string" */
} aprx_value;

typedef enum aprx_dtype_status {
  APRX_DTYPE_KNOWN = 0,
  APRX_DTYPE_NOT_KNOWN = 1,
  APRX_DTYPE_RETIRED = 2
} aprx_dtype_status;

typedef struct aprx_file_tensor {
  uint32_t struct_size;
  uint32_t dtype;        /* aprx_dtype; APRX_DTYPE_UNKNOWN unless dtype_status is APRX_DTYPE_KNOWN */
  uint32_t dtype_status; /* aprx_dtype_status */
  uint32_t file_dtype;   /* the format's own number */
  uint32_t file;         /* index of aprx_files.open */
  uint32_t rank;
  uint64_t offset; /* in that file */
  uint64_t size;   /* bytes; 0 where the dtype isn't known */
  int64_t shape[APRX_MAX_RANK];
  aprx_string name;
  char dtype_name[24]; /* the format's own word for the dtype, also for retired ones */
} aprx_file_tensor;

/* A quantization recipe: the dtypes that a build of a model by this name holds. */
typedef struct aprx_recipe {
  uint32_t struct_size;
  uint32_t matrix_count;
  uint32_t matrices[8]; /* aprx_dtype: each that a matrix may get */
  uint32_t narrow[8];   /* what stands in for matrices[i] where rows aren't a multiple of its block */
  char name[32];        /* as users know it: "Q4_K_M" */
} aprx_recipe;

typedef struct aprx_format {
  uint32_t struct_size;
  uint32_t reserved;
  /* 0 = not ours, 100 = certainly ours. `head` holds the first bytes of the file. */
  uint32_t (*detect)(void* self, const char* path, const uint8_t* head, uint64_t head_size);
  aprx_status (*open)(void* self, const aprx_files* files, const char* path, void** model, aprx_error* error);
  void (*close)(void* self, void* model);
  const char* (*scheme)(void* self, void* model);  /* naming scheme of tensors and keys: "gguf" */
  const char* (*version)(void* self, void* model); /* "GGUF v3" */
  const char* (*claim)(void* self,
                       void* model); /* the quantization that the file says it is; "" if it doesn't */
  uint32_t (*file_count)(void* self, void* model);
  uint64_t (*metadata_count)(void* self, void* model);
  aprx_status (*metadata)(void* self, void* model, uint64_t index, aprx_string* key, aprx_value* value);
  aprx_status (*metadata_item)(void* self, void* model, uint64_t index, uint64_t item, aprx_value* value);
  uint64_t (*tensor_count)(void* self, void* model);
  aprx_status (*tensor)(void* self, void* model, uint64_t index, aprx_file_tensor* tensor);
  uint64_t (*warning_count)(void* self, void* model); /* oddities that do no harm, each one sentence */
  aprx_string (*warning)(void* self, void* model, uint64_t index);
  /* Recipe `index` that the format's tools know, the most usual first; returns 0 past the end. */
  uint32_t (*recipe)(void* self, uint32_t index, aprx_recipe* recipe);
} aprx_format;

#ifdef __cplusplus
}
#endif

#endif /* APRX_ABI_H_ */
