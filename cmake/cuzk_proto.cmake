# The messages and the service of proto/ as C++, in a library of its own: generated into the build folder, compiled
# without our warnings, its headers those of a system. Only sources of the server and the client (and tests) include them.
set(gen ${PROJECT_BINARY_DIR}/gen/proto)
file(MAKE_DIRECTORY ${gen})
set(generated "")
foreach(name cuzk/v1/proving google/rpc/status google/rpc/error_details grpc/health/v1/health
        grpc/reflection/v1alpha/reflection)
  set(proto ${PROJECT_SOURCE_DIR}/proto/${name}.proto)
  set(parts ${gen}/${name}.pb.h ${gen}/${name}.pb.cc)
  set(grpc "")
  if(name STREQUAL "cuzk/v1/proving")
    list(APPEND parts ${gen}/${name}.grpc.pb.h ${gen}/${name}.grpc.pb.cc)
    set(grpc --grpc_out=${gen} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
  endif()
  add_custom_command(
    OUTPUT ${parts}
    COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/proto --cpp_out=${gen} ${grpc} ${proto}
    DEPENDS ${proto} protobuf::protoc gRPC::grpc_cpp_plugin
    COMMENT "Generating C++ from proto/${name}.proto"
    VERBATIM)
  list(APPEND generated ${parts})
endforeach()
add_library(cuzk_proto STATIC ${generated})
target_include_directories(cuzk_proto SYSTEM PUBLIC ${gen})
target_compile_options(cuzk_proto PRIVATE -w)
target_link_libraries(cuzk_proto PUBLIC gRPC::grpc++ protobuf::libprotobuf)
