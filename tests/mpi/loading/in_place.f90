! A library with MPI_IN_PLACE and MPI_BOTTOM, loaded into a program without Fortran.
subroutine in_place(wrong) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer(c_int), intent(out) :: wrong
  integer :: rank, p, i, kind, error
  integer :: sums(3)
  integer, target :: far(2)
  integer, allocatable :: all(:)
  integer(kind=MPI_ADDRESS_KIND) :: place(1)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, p, error)
  wrong = 0
  do i = 1, 3
    sums = rank + i
    call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(sums /= p * i + p * (p - 1) / 2)) wrong = wrong + 1
  end do
  allocate(all(p))
  all = -1
  all(rank + 1) = 7 * rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, p
    if (all(i) /= 7 * (i - 1)) wrong = wrong + 1
  end do
  far = -1
  if (rank == p - 1) far = [3, 4]
  call MPI_Get_address(far, place(1), error)
  call MPI_Type_create_hindexed(1, [2], place, MPI_INTEGER, kind, error)
  call MPI_Type_commit(kind, error)
  call MPI_Bcast(MPI_BOTTOM, 1, kind, p - 1, MPI_COMM_WORLD, error)
  if (any(far /= [3, 4])) wrong = wrong + 1
  call MPI_Type_free(kind, error)
  call MPI_Finalize(error)
end subroutine
