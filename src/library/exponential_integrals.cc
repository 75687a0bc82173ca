// The exponential integral. The rational functions are those of Cephes (ei.c), as in jax.scipy.special.
#include <algorithm>
#include <limits>
#include <numbers>

#include "frontend/compose.h"
#include "ingot/autodiff.h"
#include "ingot/control_flow.h"
#include "ingot/creation.h"
#include "ingot/special.h"
#include "library/rules_by_value.h"

namespace ingot {
namespace {

using Coefficients = std::vector<double>;

Array rational(const Coefficients& above, const Coefficients& below, const Array& x) {
  const auto value = [&](const Coefficients& p) {
    Array sum = Array::full(x.shape(), p[0], x.dtype());
    for (size_t i = 1; i < p.size(); ++i) sum = sum * x + p[i];
    return sum;
  };
  return value(above) / value(below);
}

struct Piece {
  double end;  // of the range of x, which begins where the one before ends
  Coefficients above, below;
};

const std::vector<Piece>& pieces() {
  static const auto& list = *new std::vector<Piece>{
      {2,
       {-5.350447357812542947283e0, 2.185049168816613393830e2, -4.176572384826693777058e3,
        5.541176756393557601232e4, -3.313381331178144034309e5, 1.592627163384945414220e6},
       {1.0, -5.250547959112862969197e1, 1.259616186786790571525e3, -1.756549581973534652631e4,
        1.493062117002725991967e5, -7.294949239640527645655e5, 1.592627163384945429726e6}},
      {4,
       {1.981808503259689673238e-2, -1.271645625984917501326e0, -2.088160335681228318920e0,
        2.755544509187936721172e0, -4.409507048701600257171e-1, 4.665623805935891391017e-2,
        -1.545042679673485262580e-3, 7.059980605299617478514e-5},
       {1.0, 1.476498670914921440652e0, 5.629177174822436244827e-1, 1.699017897879307263248e-1,
        2.291647179034212017463e-2, 4.450150439728752875043e-3, 1.727439612206521482874e-4,
        3.953167195549672482304e-5}},
      {8,
       {-1.373215375871208729803e0, -7.084559133740838761406e-1, 1.580806855547941010501e0,
        -2.601500427425622944234e-1, 2.994674694113713763365e-2, -1.038086040188744005513e-3,
        4.371064420753005429514e-5, 2.141783679522602903795e-6},
       {1.0, 8.585231423622028380768e-1, 4.483285822873995129957e-1, 7.687932158124475434091e-2,
        2.449868241021887685904e-2, 8.832165941927796567926e-4, 4.590952299511353531215e-4,
        -4.729848351866523044863e-6, 2.665195537390710170105e-6}},
      {16,
       {-2.106934601691916512584e0, 1.732733869664688041885e0, -2.423619178935841904839e-1,
        2.322724180937565842585e-2, 2.372880440493179832059e-4, -8.343219561192552752335e-5,
        1.363408795605250394881e-5, -3.655412321999253963714e-7, 1.464941733975961318456e-8,
        6.176407863710360207074e-10},
       {1.0, -2.298062239901678075778e-1, 1.105077041474037862347e-1, -1.566542966630792353556e-2,
        2.761106850817352773874e-3, -2.089148012284048449115e-4, 1.708528938807675304186e-5,
        -4.459311796356686423199e-7, 1.394634930353847498145e-8, 6.150865933977338354138e-10}},
      {32,
       {-2.458119367674020323359e-1, -1.483382253322077687183e-1, 7.248291795735551591813e-2,
        -1.348315687380940523823e-2, 1.342775069788636972294e-3, -7.942465637159712264564e-5,
        2.644179518984235952241e-6, -4.239473659313765177195e-8},
       {1.0, -1.044225908443871106315e-1, -2.676453128101402655055e-1, 9.695000254621984627876e-2,
        -1.601745692712991078208e-2, 1.496414899205908021882e-3, -8.462452563778485013756e-5,
        2.728938403476726394024e-6, -4.239462431819542051337e-8}},
      {64,
       {1.212561118105456670844e-1, -5.823133179043894485122e-1, 2.348887314557016779211e-1,
        -3.040034318113248237280e-2, 1.510082146865190661777e-3, -2.523137095499571377122e-5},
       {1.0, -1.002252150365854016662e0, 2.928709694872224144953e-1, -3.337004338674007801307e-2,
        1.560544881127388842819e-3, -2.523137093603234562648e-5}},
      {std::numeric_limits<double>::infinity(),
       {-7.657847078286127362028e-1, 6.886192415566705051750e-1, -2.132598113545206124553e-1,
        3.346107552384193813594e-2, -3.076541477344756050249e-3, 1.747119316454907477380e-4,
        -6.103711682274170530369e-6, 1.218032765428652199087e-7, -1.086076102793290233007e-9},
       {1.0, -1.888802868662308731041e0, 1.066691687211408896850e0, -2.751915982306380647738e-1,
        3.930852688233823569726e-2, -3.414684558602365085394e-3, 1.866844370703555398195e-4,
        -6.345146083130515357861e-6, 1.239754287483206878024e-7, -1.086076102793126632978e-9}},
  };
  return list;
}

// E1 by its series up to 1, and by its continued fraction, from the far end on, from 1 on.
Array exp1_value(const Array& x) {
  const Array near = x <= 1, small = where(near, x, 1), large = where(near, 1, x);
  const int64_t terms = x.dtype() == DType::kF64 ? 20 : 12, fractions = x.dtype() == DType::kF64 ? 100 : 30;
  Array term = ones_like(small), sum = zeros_like(small);
  for (int64_t k = 1; k <= terms; ++k) {
    term = term * (-small / static_cast<double>(k));
    sum = sum + term / static_cast<double>(k);
  }
  const auto step = [&](Array i, Array rest) {
    const Array k = static_cast<double>(fractions) - i.astype(x.dtype());
    return k * k / (large + (2 * k + 1) - rest);
  };
  const Array rest = fori_loop(0, fractions, step, zeros_like(large));
  return where(near, -std::numbers::egamma - log(small) - sum, exp(-large) / (large + 1 - rest));
}

Array expi_above(const Array& x) {
  double begin = 0;
  Array result = x;
  for (const Piece& piece : pieces()) {
    const Array inside = (x > begin) & (x <= piece.end), safe = where(inside, x, std::min(begin + 1, 100.0));
    const Array w = 1 / safe;
    const Array value =
        begin == 0 ? safe * rational(piece.above, piece.below, safe) + std::numbers::egamma + log(safe)
                   : exp(safe) * w * (1 + w * rational(piece.above, piece.below, w));
    result = where(inside, value, result);
    begin = piece.end;
  }
  return where(x == 0, -std::numeric_limits<double>::infinity(), result);
}

Array expi_value(const Array& x) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  const Array below = x < 0, at_end = x == kEndless;
  const Array above = expi_above(where(below | at_end, 1, x));
  return where(below, -exp1_value(where(below, -x, 1)), where(at_end, kEndless, above));
}

// At 0 the series is infinite by its logarithm, and below it there is no real number.
Array exp1_whole(const Array& x) {
  return where(x < 0, std::numeric_limits<double>::quiet_NaN(),
               where(x == std::numeric_limits<double>::infinity(), 0, exp1_value(where(x < 0, 1, x))));
}

constexpr int kIntegralOrders = 3;  // of derivatives

// A rule cannot ask for the function whose rule it is, so it holds the function with one order less.
template <class Value>
Array with_slope(int orders, const Value& value, double sign, const Array& x) {
  if (orders == 0) return value(x);
  return detail::custom_jvp_by_value([value](Array u) { return value(u); },
                                     [=](const std::tuple<Array>& at, const std::tuple<Array>& tangents) {
                                       const Array& u = std::get<0>(at);
                                       return std::pair(with_slope(orders - 1, value, sign, u),
                                                        sign * exp(sign * u) / u * std::get<0>(tangents));
                                     })(x);
}

void check_real(const char* name, const Array& x, const Operand& operand) {
  if (is_complex(x.dtype()))
    detail::fail(operand.where(),
                 std::string(name) + ": takes real numbers, but this is a " + x.type_string());
}

}  // namespace

Array expi(const Operand& x) {
  return detail::compose_floating("expi", x, {}, [&](const Array& a) {
    check_real("expi", a, x);
    return with_slope(kIntegralOrders, expi_value, 1, a);
  });
}
Array exp1(const Operand& x) {
  return detail::compose_floating("exp1", x, {}, [&](const Array& a) {
    check_real("exp1", a, x);
    return with_slope(kIntegralOrders, exp1_whole, -1, a);
  });
}

}  // namespace ingot
