#loc = loc(unknown)
module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true} loc("x"), %arg1: tensor<4x4xf32>) -> (tensor<4xf32> {jax.result_info = "[0]"}) {
    %cst = stablehlo.constant dense<[1.0, 2.5e0, 0x7F800000, -0.0]> : tensor<4xf32> loc(#loc1)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %z = stablehlo.constant dense<(1.0,-2.0)> : tensor<2xcomplex<f32>>
    %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i32>, tensor<4xf32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.compare  LT, %iterArg, %c_1,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %6 = func.call @f(%iterArg_0) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %5, %6 : tensor<i32>, tensor<4xf32>
    } loc(#loc2)
    %s = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1#1 init: %s) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.convolution(%arg1, %arg1) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4:2 = stablehlo.optimization_barrier %0, %2 : tensor<4xf32>, tensor<f32>
    %t = stablehlo.tuple %0, %2 : tuple<tensor<4xf32>, tensor<f32>>
    %e = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<f32>>) -> tensor<4xf32>
    %g = sdy.sharding_constraint %e <@mesh, [{"x"}]> : tensor<4xf32>
    %r = stablehlo.reduce_precision %g, format = e5m10 : tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = chlo.erf %arg0 : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
#loc1 = loc("jit(f)/add"(#loc3))
#loc2 = loc(callsite(#loc1 at #loc))
#loc3 = loc("a.py":3:4 to :9)
