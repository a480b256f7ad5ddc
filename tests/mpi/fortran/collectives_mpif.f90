! All collectives from Fortran through include 'mpif.h'; the cases are in cases.inc.
program collectives_mpif
  implicit none
  include 'mpif.h'
  external :: compose
  integer :: pair_type, bottom_type, compose_op
  integer, allocatable :: many_types(:)
  integer :: rank, p, ierr, passed = 0, failed = 0

  call MPI_Init(ierr)
  call all_cases()
  call finish()

contains

  include 'cases.inc'

end program collectives_mpif

include 'compose_f77.inc'
