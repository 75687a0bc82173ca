// Windows that are larger than the array: nothing is reduced, and nothing selected.
module {
  func.func @main(%a: tensor<1xf32>, %s: tensor<0xf32>, %b: tensor<5x1xi32>, %i: tensor<f32>) -> (tensor<1xf32>, tensor<3x0xi32>, tensor<0xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 3>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %m : tensor<i1>
    }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<1xf32>, tensor<0xf32>, tensor<f32>) -> tensor<1xf32>
    %1 = "stablehlo.reduce_window"(%b, %c) <{window_dimensions = array<i64: 3, 3>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %m = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %m : tensor<i32>
    }) : (tensor<5x1xi32>, tensor<i32>) -> tensor<3x0xi32>
    %2 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 4>, padding = dense<1> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.subtract %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<1xf32>, tensor<f32>) -> tensor<0xf32>
    return %0, %1, %2 : tensor<1xf32>, tensor<3x0xi32>, tensor<0xf32>
  }
}
