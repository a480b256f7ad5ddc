#include "runtime/datatype.hpp"

#include <atomic>
#include <mutex>

namespace tutti::runtime {

namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

int delete_facts(MPI_Datatype, int, void* facts, void*) {
  delete static_cast<Datatype*>(facts);
  return MPI_SUCCESS;
}

int keyval() {
  static const int value = [] {
    int created = MPI_KEYVAL_INVALID;
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_facts, &created, nullptr);
    return created;
  }();
  return value;
}

int combiner_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner;
}

bool is_one_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> list) {
  for (MPI_Datatype each : list) {
    if (each == type && each != MPI_DATATYPE_NULL) return true;
  }
  return false;
}

OperandKind operand_kind(MPI_Datatype type) {
  if (is_one_of(type, {MPI_INT,         MPI_LONG,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
                       MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
                       MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_INT16_T,
                       MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
                       MPI_UINT32_T,    MPI_UINT64_T,      MPI_AINT,      MPI_OFFSET,
                       MPI_COUNT,       MPI_INTEGER,       MPI_INTEGER1,  MPI_INTEGER2,
                       MPI_INTEGER4,    MPI_INTEGER8})) {
    return OperandKind::integer;
  }
  if (is_one_of(type, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                       MPI_REAL4, MPI_REAL8})) {
    return OperandKind::floating;
  }
  if (is_one_of(type, {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX})) {
    return OperandKind::complex;
  }
  if (is_one_of(type, {MPI_C_BOOL, MPI_LOGICAL})) return OperandKind::logical;
  if (type == MPI_BYTE) return OperandKind::byte;
  if (is_one_of(type, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
                       MPI_LONG_DOUBLE_INT, MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION})) {
    return OperandKind::pair;
  }
  return OperandKind::none;
}

// Whether elements in a row are bytes in a row. Size and extent do not tell: a type may hold its
// bytes in another order. So only repetitions of contiguous types count.
bool is_contiguous(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    int size = 0;
    MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    return size == extent && lb == 0 && true_lb == 0 && true_extent == extent;
  }
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
  int repetitions = 0;
  MPI_Aint no_address = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents(type, integers, addresses, types, &repetitions, &no_address, &inner);
  const bool result = is_contiguous(inner);
  if (combiner_of(inner) != MPI_COMBINER_NAMED) PMPI_Type_free(&inner);
  return result;
}

std::int64_t size_of(MPI_Datatype type) {
#ifdef TUTTI_SMPI
  int size = 0;
  PMPI_Type_size(type, &size);
#else
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
#endif
  return size;
}

// Predefined datatypes have shapes of their own: operators tell them apart.
std::uint64_t shape_of(const Datatype& facts) {
  if (facts.predefined) return facts.serial << 1;
  std::uint64_t hash = facts.contiguous ? 1 : 0;
  for (const std::int64_t each : {facts.size, std::int64_t{facts.extent},
                                  std::int64_t{facts.true_lb}, std::int64_t{facts.true_extent}}) {
    hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash << 1 | 1;
}

Datatype facts_about(MPI_Datatype type, bool predefined) {
  Datatype facts;
  MPI_Aint lb = 0;
  facts.serial = next_serial();
  facts.handle = type;
  facts.size = size_of(type);
  PMPI_Type_get_extent(type, &lb, &facts.extent);
  PMPI_Type_get_true_extent(type, &facts.true_lb, &facts.true_extent);
  facts.predefined = predefined;
  facts.contiguous = is_contiguous(type);
  if (predefined) facts.operand = operand_kind(type);
  facts.shape = shape_of(facts);
  return facts;
}

// A message to nobody, whose data is never looked at: the library refuses it if the datatype is
// not committed.
bool is_usable(MPI_Datatype type, MPI_Comm prober) {
  const char nothing = 0;
  return PMPI_Send(&nothing, 1, type, MPI_PROC_NULL, 0, prober) == MPI_SUCCESS;
}

Datatype* attached_to(MPI_Datatype type) {
  void* value = nullptr;
  int found = 0;
  PMPI_Type_get_attr(type, keyval(), static_cast<void*>(&value), &found);
  return found != 0 ? static_cast<Datatype*>(value) : nullptr;
}

}  // namespace

const Datatype* DatatypeTable::find_slowly(MPI_Datatype type, MPI_Comm prober) {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  if (const Datatype* known = attached_to(type)) return known;
  if (!is_usable(type, prober)) return nullptr;
  if (combiner_of(type) == MPI_COMBINER_NAMED) {
    // Kept in order of appearance; a program uses few. References stay valid during a call.
    predefined_.push_back(facts_about(type, true));
    return &predefined_.back();
  }
  static std::mutex attaching;  // two threads may meet the same datatype
  const std::lock_guard lock(attaching);
  if (const Datatype* known = attached_to(type)) return known;
  auto* facts = new Datatype(facts_about(type, false));
  PMPI_Type_set_attr(type, keyval(), facts);
  return facts;
}

}  // namespace tutti::runtime
