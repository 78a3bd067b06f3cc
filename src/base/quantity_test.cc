#include "base/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace kumiko {
namespace {

Quantity Read(std::string_view text) {
  auto quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.has_value()) << text << ": " << quantity.error().message;
  return quantity.value_or(Quantity());
}

struct Row {
  const char* text;
  const char* canonical;  // empty: refused
  const char* integer;    // "no": not an integer as written
  double approximate;
  int sign;
};

// What k8s.io/apimachinery 0.37.2 answers for each text.
constexpr Row kRows[] = {
    {"0", "0", "0", 0, 0},
    {"+", "0", "0", 0, 0},
    {"-", "0", "0", 0, 0},
    {".", "0", "0", 0, 0},
    {"Ki", "0", "0", 0, 0},
    {"Pi", "", "", 0, 0},
    {"k", "0", "0", 0, 0},
    {"1.", "1.", "1", 1, 1},
    {".5", "500m", "no", 0.5, 1},
    {"-.5", "-500m", "no", -0.5, -1},
    {"1", "1", "1", 1, 1},
    {"-1", "-1", "-1", -1, -1},
    {"+1", "+1", "1", 1, 1},
    {"007", "007", "7", 7, 1},
    {"1000", "1k", "1000", 1000, 1},
    {"1000m", "1", "no", 1, 1},
    {"1.5k", "1500", "1500", 1500, 1},
    {"0.001k", "1", "1", 1, 1},
    {"1e3", "1e3", "1000", 1000, 1},
    {"1E3", "1E3", "1000", 1000, 1},
    {"1e4", "10e3", "10000", 10000, 1},
    {"12e6", "12e6", "12000000", 12000000, 1},
    {"1e-3", "1e-3", "no", 0.001, 1},
    {"1e-9", "1e-9", "no", 1.0000000000000001e-09, 1},
    {"1e-10", "1e-9", "no", 1.0000000000000001e-09, 1},
    {"1e+3", "1e+3", "1000", 1000, 1},
    {"1e19", "10e18", "no", 1e+19, 1},
    {"1.5", "1500m", "no", 1.5, 1},
    {"1.500", "1.500", "no", 1.5, 1},
    {"1.5Gi", "1536Mi", "no", 1610612736, 1},
    {"0.1Ki", "102400m", "no", 102.40000000000001, 1},
    {"0.5Ki", "512", "no", 512, 1},
    {"1.5Ki", "1536", "no", 1536, 1},
    {"80Gi", "80Gi", "85899345920", 85899345920, 1},
    {"99999Gi", "99999Gi", "107373108658176", 107373108658176, 1},
    {"100000Gi", "100000Gi", "no", 107374182400000, 1},
    {"10Ti", "10Ti", "10995116277760", 10995116277760, 1},
    {"100Ti", "100Ti", "no", 109951162777600, 1},
    {"1Pi", "1Pi", "no", 1125899906842624, 1},
    {"1Ei", "1Ei", "no", 1.152921504606847e+18, 1},
    {"8Ei", "9223372036854775807", "no", 9.2233720368547758e+18, 1},
    {"-8Ei", "-9223372036854775807", "no", -9.2233720368547758e+18, -1},
    {"9Ei", "9223372036854775807", "no", 9.2233720368547758e+18, 1},
    {"1024Ki", "1Mi", "1048576", 1048576, 1},
    {"1Ki", "1Ki", "1024", 1024, 1},
    {"1023", "1023", "1023", 1023, 1},
    {"1024", "1024", "1024", 1024, 1},
    {"2Ki", "2Ki", "2048", 2048, 1},
    {"512Mi", "512Mi", "536870912", 536870912, 1},
    {"0m", "0", "no", 0, 0},
    {"1.0", "1", "no", 1, 1},
    {"1n", "1n", "no", 1.0000000000000001e-09, 1},
    {"0.1n", "1n", "no", 1.0000000000000001e-09, 1},
    {"-0.1n", "-1n", "no", -1.0000000000000001e-09, -1},
    {"1u", "1u", "no", 9.9999999999999995e-07, 1},
    {"0.0000000001", "1n", "no", 1.0000000000000001e-09, 1},
    {"123456789012345678", "123456789012345678", "123456789012345678", 1.2345678901234568e+17, 1},
    {"999999999999999999", "999999999999999999", "999999999999999999", 1e+18, 1},
    {"1000000000000000000", "1E", "no", 1.0000000000000001e+18, 1},
    {"9223372036854775807", "9223372036854775807", "no", 9.2233720368547758e+18, 1},
    {"9223372036854775808", "9223372036854775808", "no", 9.2233720368547758e+18, 1},
    {"-9223372036854775808", "-9223372036854775808", "no", -9.2233720368547758e+18, -1},
    {"123456789012345678901234567890", "123456789012345678901234567890", "no", 1.234567890123457e+29, 1},
    {"0.123456789123", "123456790n", "no", 0.12345679000000001, 1},
    {"-0.123456789123", "-123456790n", "no", -0.12345679000000001, -1},
    {"1.1Ki", "1126400m", "no", 1126.4000000000001, 1},
    {"-1.5Ki", "-1536", "no", -1536, -1},
    {"10k", "10k", "10000", 10000, 1},
    {"100M", "100M", "100000000", 100000000, 1},
    {"1000M", "1G", "1000000000", 1000000000, 1},
    {"1T", "1T", "1000000000000", 1000000000000, 1},
    {"1P", "1P", "1000000000000000", 1000000000000000, 1},
    {"1E", "1E", "1000000000000000000", 1e+18, 1},
    {"500E", "500E", "no", 5e+20, 1},
    {"1e", "", "", 0, 0},
    {"1e3Mi", "", "", 0, 0},
    {"1K", "", "", 0, 0},
    {"1ki", "", "", 0, 0},
    {"1 Gi", "", "", 0, 0},
    {" 1", "", "", 0, 0},
    {"1Gi ", "", "", 0, 0},
    {"12GB", "", "", 0, 0},
    {"1e1.5", "", "", 0, 0},
    {"--1", "", "", 0, 0},
    {"+-1", "", "", 0, 0},
    {"1..2", "", "", 0, 0},
    {"abc", "", "", 0, 0},
    {"0x10", "", "", 0, 0},
    {"1m", "1m", "no", 0.001, 1},
    {"1500m", "1500m", "no", 1.5, 1},
    {"0.1", "100m", "no", 0.10000000000000001, 1},
    {"0.01", "10m", "no", 0.01, 1},
    {"0.001", "1m", "no", 0.001, 1},
    {"3.14159", "3141590u", "no", 3.1415900000000003, 1},
    {"1e2", "100", "100", 100, 1},
    {"100e-2", "1", "no", 1, 1},
    {"0Ki", "0", "0", 0, 0},
    {"0Ei", "0", "no", 0, 0},
    {".Ei", "", "", 0, 0},
    {"0.0Ki", "0", "no", 0, 0},
    {"-0", "0", "0", 0, 0},
    {"-0m", "0", "no", 0, 0},
    {"01Ki", "01Ki", "1024", 1024, 1},
    {"0512Ki", "512Ki", "524288", 524288, 1},
    {"-5Ki", "-5Ki", "-5120", -5120, -1},
    {"+5", "+5", "5", 5, 1},
    {"+5Ki", "+5Ki", "5120", 5120, 1},
    {"2048Ki", "2Mi", "2097152", 2097152, 1},
    {"3000Ki", "3000Ki", "3072000", 3072000, 1},
    {"1e18", "1e18", "1000000000000000000", 1e+18, 1},
    {"1e20", "100e18", "no", 1e+20, 1},
    {"123e17", "12300e15", "no", 1.23e+19, 1},
    {"12345678901234567e3", "12345678901234567e3", "no", 1.2345678901234567e+19, 1},
    {"0.000000001", "1n", "no", 1.0000000000000001e-09, 1},
    {"0.0000000015", "2n", "no", 2.0000000000000001e-09, 1},
    {"1.23456789n", "2n", "no", 2.0000000000000001e-09, 1},
    {"17179869184", "17179869184", "17179869184", 17179869184, 1},
    {"16Gi", "16Gi", "17179869184", 17179869184, 1},
    {"15258789Ki", "15258789Ki", "15624999936", 15624999936, 1},
    {"340282366920938463463374607431768211456", "340282366920938463463374607431768211456", "no", 3.4028236692093846e+38,
     1},
};

TEST(Quantity, AgreesWithKubernetesOnEveryRow) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.text);
    const auto quantity = Quantity::Parse(row.text);
    ASSERT_EQ(quantity.has_value(), *row.canonical != '\0');
    if (!quantity) continue;
    EXPECT_EQ(quantity->ToString(), row.canonical);
    EXPECT_EQ(quantity->IsInteger() ? std::to_string(*quantity->AsInteger()) : "no", row.integer);
    EXPECT_EQ(quantity->AsApproximateFloat(), row.approximate);
    EXPECT_EQ(quantity->Sign(), row.sign);
  }
}

TEST(Quantity, SaysWhatToWriteInstead) {
  const auto message = [](std::string_view text) { return Quantity::Parse(text).error().message; };
  EXPECT_EQ(message("12GB"), "quantity \"12GB\" is not valid: write 12G (decimal) or 12Gi (binary)");
  EXPECT_EQ(message("1.5K"), "quantity \"1.5K\" is not valid: write 1.5k (decimal) or 1.5Ki (binary)");
  EXPECT_EQ(message("80 GiB"), "quantity \"80 GiB\" is not valid: write 80Gi");
  EXPECT_EQ(message("1ki"), "quantity \"1ki\" is not valid: write 1Ki");
  EXPECT_EQ(message(" 1 "),
            "quantity \" 1 \" is not valid: write a number and at most one of the suffixes n u m k M G T P "
            "E, Ki Mi Gi Ti Pi Ei, such as 500m, 12G or 12Gi");
  EXPECT_EQ(message(""), "quantity \"\" is not valid: write a number such as 2, 500m, 12G or 12Gi");
  EXPECT_EQ(message("1\x1b"),
            "quantity \"1\\x1b\" is not valid: write a number and at most one of the suffixes n u m k M G "
            "T P E, Ki Mi Gi Ti Pi Ei, such as 500m, 12G or 12Gi");
}

TEST(Quantity, RefusesTextThatWouldCostTooMuch) {
  EXPECT_FALSE(Quantity::Parse(std::string(5000, '1')));
  EXPECT_FALSE(Quantity::Parse("1e10000"));
  EXPECT_FALSE(Quantity::Parse("1e99999999999999999999"));
  EXPECT_LT(Read("1"), Read("1e9999"));
  EXPECT_EQ(Read("1e-9999"), Read("1n"));
}

TEST(Quantity, ComparesByValueAcrossFormsAndFormats) {
  EXPECT_EQ(Read("1Gi"), Read("1024Mi"));
  EXPECT_EQ(Read("1000m"), Read("1.0"));
  EXPECT_EQ(Read("1e3"), Read("1k"));
  EXPECT_EQ(Read("100Ti"), Quantity::FromInt(109951162777600));
  EXPECT_LT(Read("1G"), Read("1Gi"));
  EXPECT_LT(Read("-1Ei"), Read("-999P"));
  EXPECT_LT(Read("999999999999999999999"), Read("1e21"));
}

TEST(Quantity, AddsAndSubtractsInTheFormatOfTheLeft) {
  EXPECT_EQ(Read("1Gi").Add(Read("1G")).ToString(), "2073741824");
  EXPECT_EQ(Read("1Gi").Add(Read("1024Mi")).ToString(), "2Gi");
  EXPECT_EQ(Read("1").Add(Read("1Ki")).ToString(), "1025");
  EXPECT_EQ(Quantity().Add(Read("2Ki")).ToString(), "2Ki");
  EXPECT_EQ(Read("80Gi").Sub(Read("80Gi")).ToString(), "0");
  EXPECT_EQ(Read("1").Sub(Read("100m")).ToString(), "900m");
  EXPECT_EQ(Read("8Ei").Add(Read("1")).ToString(), "8Ei");
  EXPECT_EQ(Quantity::FromInt(std::numeric_limits<std::int64_t>::max()).Add(Read("1")).ToString(),
            "9223372036854775808");
  EXPECT_EQ(Quantity().Sub(Quantity::FromInt(std::numeric_limits<std::int64_t>::min())).ToString(),
            "9223372036854775808");
}

TEST(Quantity, KeepsThePowerAboveTheLargestSuffix) {
  EXPECT_EQ(Read("1000E").ToString(), "1000E");
  EXPECT_EQ(Read("8Ei").Mul(1024).ToString(), "9223372036854775807Ki");
  EXPECT_EQ(Read("1Ei").Mul(1024).ToString(), "1024Ei");
}

TEST(Quantity, RoundsUnitsAwayFromZeroAndSaturates) {
  EXPECT_EQ(Read("1500m").Value(), 2);
  EXPECT_EQ(Read("-1500m").Value(), -2);
  EXPECT_EQ(Read("1n").MilliValue(), 1);
  EXPECT_EQ(Read("1.5").MilliValue(), 1500);
  EXPECT_EQ(Read("1e30").Value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Read("-1e9999").Value(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Quantity::FromBytesBinary(85899345920).ToString(), "80Gi");
}

TEST(Quantity, MultipliesBeyond64Bits) {
  EXPECT_EQ(Read("80Gi").Mul(8).ToString(), "640Gi");
  EXPECT_EQ(Read("9223372036854775807").Mul(2).ToString(), "18446744073709551614");
  EXPECT_EQ(Read("250m").Mul(4).ToString(), "1");
  EXPECT_TRUE(Read("250m").Mul(0).IsZero());
}

// Any text the grammar allows, both stored forms included.
std::string AnyText() {
  static const std::vector<std::string> kSuffixes = {"",   "n",  "u",  "m",  "k",  "M",  "G",  "T",   "P",  "E",
                                                     "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-4", "e19"};
  std::string text = *rc::gen::element<std::string>("", "-", "+");
  text += std::to_string(*rc::gen::arbitrary<std::uint64_t>());
  if (*rc::gen::arbitrary<bool>()) text += "." + std::to_string(*rc::gen::arbitrary<std::uint32_t>());
  return text + *rc::gen::elementOf(kSuffixes);
}

RC_GTEST_PROP(QuantityProperty, PrintedTextReadsAsTheSameValueAndPrintsTheSame, ()) {
  const Quantity quantity = Read(AnyText());
  const Quantity again = Read(quantity.ToString());
  RC_ASSERT(again == quantity);
  RC_ASSERT(again.ToString() == quantity.ToString());
}

RC_GTEST_PROP(QuantityProperty, SubtractionUndoesAddition, ()) {
  const Quantity a = Read(AnyText());
  const Quantity b = Read(AnyText());
  RC_ASSERT(a.Add(b) == b.Add(a));
  RC_ASSERT(a.Add(b).Sub(b) == a);
  RC_ASSERT(a.Add(a) == a.Mul(2));
  RC_ASSERT((a.Sub(b).Sign() > 0) == (a > b));
}

RC_GTEST_PROP(QuantityProperty, ArbitraryBytesNeverBreakTheReader, (const std::string& bytes)) {
  const auto quantity = Quantity::Parse(bytes);
  if (quantity) RC_ASSERT(Quantity::Parse(quantity->ToString()).has_value());
}

}  // namespace
}  // namespace kumiko
