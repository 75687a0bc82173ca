// The corrections of sums over all k from 0 on by Euler and Maclaurin.
#pragma once

namespace ingot::ops {

// (2 k)! / B_2k, k from 1 on.
inline constexpr double kEulerMaclaurin[] = {12.0,
                                             -720.0,
                                             30240.0,
                                             -1209600.0,
                                             47900160.0,
                                             -1892437580.3183791606367583212735166426,
                                             74724249600.0,
                                             -2950130727918.1642244954382084600497650,
                                             116467828143500.67248729113000661089202,
                                             -4597978722407472.6105457273596737891657,
                                             181521054019435467.73425331153534235290,
                                             -7166165256175667011.3346447367083352776};

}  // namespace ingot::ops
