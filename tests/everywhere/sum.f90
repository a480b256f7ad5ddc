! Says whether sums are right, in Fortran.
program sum
  use mpi
  implicit none
  integer :: rank, p, error, i
  integer :: mine(2), sums(2)
  logical :: right
  right = .true.
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, p, error)
  do i = 1, 3
    mine = [rank, i]
    call MPI_Allreduce(mine, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    right = right .and. sums(1) == p * (p - 1) / 2 .and. sums(2) == p * i
  end do
  call MPI_Finalize(error)
  if (rank == 0) print '(i0, a, a)', p, ' ranks: ', merge('right', 'WRONG', right)
end program
