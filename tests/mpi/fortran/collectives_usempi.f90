! All collectives from Fortran through use mpi; the cases are in cases.inc.
program collectives_usempi
  use mpi
  implicit none
  external :: compose
  integer :: pair_type, bottom_type, compose_op
  integer, allocatable :: many_types(:)
  integer :: rank, p, ierr, passed = 0, failed = 0

  call MPI_Init(ierr)
  call all_cases()
  call finish()

contains

  include 'cases.inc'

end program collectives_usempi

include 'compose_f77.inc'
