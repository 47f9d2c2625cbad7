#include "curve/pairing.h"

#include <vector>

#include <gtest/gtest.h>

#include "curve/encoding.h"
#include "tests/curve/samples.h"

namespace cuzk {
namespace {

template <class T> struct PairingTest : testing::Test {
  test::Samples samples{4};

  typename T::G1Affine g1() { return test::random_member<test::G1Of<T>>(samples); }
  typename T::Fq2 fq2() { return samples.template element<typename T::Fq2>(); }
  Fq6<T> fq6() { return {fq2(), fq2(), fq2()}; }
  Fq12<T> fq12() { return {fq6(), fq6()}; }
  typename T::G2Affine g2() { return test::random_member<test::G2Of<T>>(samples); }
};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(PairingTest, Curves);

template <class A> A times(const A& p, const U256& k) {
  return Point<typename A::Field>::from_affine(p).times(k).to_affine();
}

TYPED_TEST(PairingTest, IsBilinear) {
  using C = TypeParam;
  for (int i = 0; i < 3; ++i) {
    const auto p = this->g1();
    const auto q = this->g2();
    const U256 a = this->samples.scalar();
    const U256 b = this->samples.scalar();
    const Gt<C> e = pairing<C>(p, q);
    EXPECT_EQ(pairing<C>(times(p, a), q), gt_power<C>(e, a));
    EXPECT_EQ(pairing<C>(p, times(q, b)), gt_power<C>(e, b));
    EXPECT_EQ(pairing<C>(times(p, a), times(q, b)), pairing<C>(times(p, b), times(q, a)));
  }
}

TYPED_TEST(PairingTest, IsNotDegenerateAndHasOrderR) {
  using C = TypeParam;
  const Gt<C> e = pairing<C>(g1_generator<C>(), g2_generator<C>());
  EXPECT_FALSE(e.is_one());
  EXPECT_TRUE(gt_power<C>(e, C::Fr::modulus).is_one());
  EXPECT_FALSE(gt_power<C>(e, FpConstants<typename C::Fr::Params>::p_minus_1).is_one());
  EXPECT_EQ(gt_power<C>(e, FpConstants<typename C::Fr::Params>::p_minus_1), e.conjugate());
}

TYPED_TEST(PairingTest, IdentitiesContributeOne) {
  using C = TypeParam;
  EXPECT_TRUE(pairing<C>(C::G1Affine::identity(), this->g2()).is_one());
  EXPECT_TRUE(pairing<C>(this->g1(), C::G2Affine::identity()).is_one());
  EXPECT_TRUE(multi_pairing<C>({}, {}).is_one());
}

TYPED_TEST(PairingTest, MultiPairingIsTheProduct) {
  using C = TypeParam;
  std::vector<typename C::G1Affine> p;
  std::vector<G2Prepared<C>> q;
  Gt<C> product = Gt<C>::one();
  for (int i = 0; i < 5; ++i) {
    p.push_back(i == 2 ? C::G1Affine::identity() : this->g1());
    const auto point = i == 3 ? C::G2Affine::identity() : this->g2();
    q.emplace_back(point);
    product *= pairing<C>(p.back(), point);
    EXPECT_EQ(multi_pairing<C>(std::span<const typename C::G1Affine>(p), std::span<const G2Prepared<C>>(q)), product);
  }
}

TYPED_TEST(PairingTest, PreparedPointsCanBeUsedAgain) {
  using C = TypeParam;
  const auto q = this->g2();
  const G2Prepared<C> prepared(q);
  const G2Prepared<C> copy = prepared;
  for (int i = 0; i < 3; ++i) {
    const auto p = this->g1();
    EXPECT_EQ(multi_pairing<C>({&p, 1}, {&copy, 1}), pairing<C>(p, q));
  }
}

/// e(p, q) e(-p, q) = 1: what a verification is made of.
TYPED_TEST(PairingTest, OppositePointsCancel) {
  using C = TypeParam;
  const auto p = this->g1();
  const std::array<typename C::G1Affine, 2> points{p, -p};
  const G2Prepared<C> prepared(this->g2());
  const std::array<G2Prepared<C>, 2> twice{prepared, prepared};
  EXPECT_TRUE(
      multi_pairing<C>(std::span<const typename C::G1Affine>(points), std::span<const G2Prepared<C>>(twice)).is_one());
}

/// A homomorphism from Fq12* into the elements of order r.
TYPED_TEST(PairingTest, FinalExponentiationLandsInTheGroupOfOrderR) {
  using C = TypeParam;
  for (int i = 0; i < 3; ++i) {
    const Fq12<C> f = this->fq12();
    const Gt<C> e = final_exponentiation<C>(f);
    EXPECT_TRUE(gt_power<C>(e, C::Fr::modulus).is_one());
    const Fq12<C> g = this->fq12();
    EXPECT_EQ(final_exponentiation<C>(f * g), e * final_exponentiation<C>(g));
  }
}

// vk_alpha_1, vk_beta_2 and vk_alphabeta_12 of two verification keys that snarkjs 0.7.6 exported.
template <class C> struct SnarkjsKey;

template <> struct SnarkjsKey<Bn254> {
  static constexpr std::array<std::string_view, 2> alpha{
      "6030913336884816086567779066098897725273795690613182301849174476798523297162",
      "13882177759549033108868694659617528082631868878847043786850684867242381635445"};
  static constexpr std::array<std::string_view, 4> beta{
      "14763966794032411904537104097018146417339209565960716967763338628165981372264",
      "3357073214519186956385660184465765522462988602131877660653746955702291710798",
      "20370654020144592705791021848544718649673170806180605105774850237588538034922",
      "16256374550516214986004912702568611078716946959697632080891680381931923204849"};
  static constexpr std::array<std::string_view, 12> pairing{
      "19116008878041392300564364492045215543925503224011667513086697828270210188356",
      "10332902231209519859429620755510994070679575381379805458584505606201933014397",
      "496494341304782327934579022225694767954875790754118473376579332236668262553",
      "5078662036221802177802309847836949316085579530961552097598328795934806838028",
      "905817458145460007106302547261221559614044179800529074040817501942748922110",
      "13427908655299917681657132012961339673401790530826056255181221564656826349727",
      "20212860908775758052274240004196620152045918548655479806332277731993628416588",
      "360994232595957475150104551684282360395086531833709383286232518322292447009",
      "17700104510441629664492331505077643615810846671174544366773523296943214821651",
      "4928286623305364714055032596207064994103403547656177195829182450824395394240",
      "19540834480785333168231577175419709314647588026280421569775554592996165260592",
      "20772095953381379336590509277687929466126763009192914465840025043346232153321"};
};

template <> struct SnarkjsKey<Bls12_381> {
  static constexpr std::array<std::string_view, 2> alpha{
      "3306486352441633008197643392942842314358550566760356185524456595590182792804200034281010887418548715913661567346"
      "580",
      "6898821361325720101841361190043793802182174615727726123441745145474281116458092515376358717438035754938606817802"
      "66"};
  static constexpr std::array<std::string_view, 4> beta{
      "3052850034042740076386130105396232873715214389035041289165539501720862663332022411159887461190532329488052101367"
      "880",
      "2838058896163399922384979102430953684759479460859347213912339984648881623594568666884197291929544137007135940430"
      "944",
      "2631527326134953211052646325852382132111397458433486099257369326569407409347747495295323248153772442878848947835"
      "456",
      "1150348115120193362427927834922224300220333614425092068224004766714172861304826033227674023090459958197038114268"
      "634"};
  static constexpr std::array<std::string_view, 12> pairing{
      "1665831240946594441792188648395086856065303232583218853755245482120787735733948928603302255224781482388815352160"
      "620",
      "2784571698818887628963117521872113165339974096583591202244247615328771525390924518484788399486698223547495254166"
      "389",
      "3296086654117040966333120500311671395462521760412656487964177336734573537681947817840264285750962115166878434906"
      "591",
      "3263168927964610666336350712949624168738663501782927029358412278749022333696114742447179409089321427847356487307"
      "074",
      "1219151337916202103618504523674620262257388244295925057544663413784483731777885216645331226566878189535585845275"
      "383",
      "2648368044694589266411152923572725586488484768168727522667081874402111420520279235987775286905290582232974897447"
      "029",
      "7413670517173871492472423491235805992865941560757448900813985898165159627045628704866754523283732684175873672878"
      "79",
      "2673724010381592191021142601557963273197139799510518295807899047455297114802167919048904928639227519346966427096"
      "206",
      "2743378596895793868733979375361322286097115102747876207784764565348901534591661968651197178257962913229885338013"
      "396",
      "1875735393099416248864771382648564012236014632840502768267053842200076214647838298203677650705433713876156431811"
      "241",
      "2171613304647432985105506191632402426041435837296313135660039944031824874062988479230541194558557765217823631589"
      "087",
      "1778668643118891155455474594744961077179952960497586512026127444357060102405083647284945084085121373069511801878"
      "88"};
};

template <class C> typename C::Fq::Repr integer(std::string_view digits) {
  return C::Fq::Repr::from_decimal(digits).value();
}

TYPED_TEST(PairingTest, IsTheValueThatSnarkjsWrites) {
  using C = TypeParam;
  using Key = SnarkjsKey<C>;
  const auto alpha = g1_from_canonical<C>(integer<C>(Key::alpha[0]), integer<C>(Key::alpha[1]), Validation::subgroup);
  const auto beta = g2_from_canonical<C>(integer<C>(Key::beta[0]), integer<C>(Key::beta[1]), integer<C>(Key::beta[2]),
                                         integer<C>(Key::beta[3]), Validation::subgroup);
  ASSERT_TRUE(alpha && beta);
  const auto value = pairing<C>(*alpha, *beta).canonical();
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(value[i / 6][i / 2 % 3][i % 2].to_decimal(), Key::pairing[i]) << "coefficient " << i;
}

}  // namespace
}  // namespace cuzk
