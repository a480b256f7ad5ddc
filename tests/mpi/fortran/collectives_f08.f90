! All collectives from Fortran through use mpi_f08; the shared cases are in cases.inc, and each
! collective is called once more without the optional ierror.
module f08_operator
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none

contains

  ! inout = in op inout on pairs; see composed in cases.inc.
  subroutine compose(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: left(:, :), right(:, :)
    integer :: i

    call c_f_pointer(invec, left, [2, len])
    call c_f_pointer(inoutvec, right, [2, len])
    do i = 1, len
      right(2, i) = mod(left(2, i) * right(1, i) + right(2, i), 10007)
      right(1, i) = mod(left(1, i) * right(1, i), 10007)
    end do
  end subroutine compose

end module f08_operator

program collectives_f08
  use mpi_f08
  use f08_operator
  implicit none
  type(MPI_Datatype) :: pair_type, bottom_type
  type(MPI_Op) :: compose_op
  type(MPI_Datatype), allocatable :: many_types(:)
  integer :: rank, p, ierr, passed = 0, failed = 0

  call MPI_Init()
  call all_cases()
  call without_ierror()
  call finish()

contains

  include 'cases.inc'

  subroutine without_ierror()
    integer :: mine, got, root, r, want(0:p-1), many(0:p-1), sent(0:p-1), counts(0:p-1)

    root = p - 1
    mine = value(rank, 1)
    want = [(value(r, 1), r = 0, p - 1)]
    counts = 1
    call MPI_Barrier(MPI_COMM_WORLD)
    got = merge(mine, -1, rank == root)
    call MPI_Bcast(got, 1, MPI_INTEGER, root, MPI_COMM_WORLD)
    call check(got == want(root), 'f08 bcast')
    many = -1
    call MPI_Gather(mine, 1, MPI_INTEGER, many, 1, MPI_INTEGER, root, MPI_COMM_WORLD)
    call check(all(many == merge(want, -1, rank == root)), 'f08 gather')
    got = -1
    call MPI_Scatter(want, 1, MPI_INTEGER, got, 1, MPI_INTEGER, root, MPI_COMM_WORLD)
    call check(got == mine, 'f08 scatter')
    many = -1
    call MPI_Allgather(mine, 1, MPI_INTEGER, many, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(many == want), 'f08 allgather')
    sent = [(mine + 100000 * r, r = 0, p - 1)]
    many = -1
    call MPI_Alltoall(sent, 1, MPI_INTEGER, many, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(many == want + 100000 * rank), 'f08 alltoall')
    got = -1
    call MPI_Reduce(mine, got, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
    call check(got == merge(sum(want), -1, rank == root), 'f08 reduce')
    got = -1
    call MPI_Allreduce(mine, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(got == sum(want), 'f08 allreduce')
    got = -1
    call MPI_Reduce_scatter(sent, got, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(got == sum(want) + 100000 * rank * p, 'f08 reduce_scatter')
    got = -1
    call MPI_Reduce_scatter_block(sent, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(got == sum(want) + 100000 * rank * p, 'f08 reduce_scatter_block')
    got = -1
    call MPI_Scan(mine, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(got == sum(want(0:rank)), 'f08 scan')
    got = -1
    call MPI_Exscan(mine, got, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(got == merge(sum(want(0:rank-1)), -1, rank > 0), 'f08 exscan')
  end subroutine without_ierror

end program collectives_f08
