/// The conventions for times and days in a territory, in any language (`LC_TIME`; interface.md,
/// "Messages").
///
/// The data is from Unicode's CLDR (`timeData`, `weekData`), since the system may lack the locale.
nonisolated package struct TimeConventions: Hashable, Sendable {
  /// True for twelve-hour clocks.
  package var usesTwelveHours: Bool
  /// The first day of the week: 1 (Monday) to 7 (Sunday).
  package var firstWeekday: Int
  /// True if the English date has the month before the day.
  package var monthComesFirst: Bool

  package init(
    usesTwelveHours: Bool = false, firstWeekday: Int = 1, monthComesFirst: Bool = false
  ) {
    self.usesTwelveHours = usesTwelveHours
    self.firstWeekday = firstWeekday
    self.monthComesFirst = monthComesFirst
  }

  /// - Parameter locale: as in `en_US.UTF-8`; a name without a territory gets the most common
  ///   conventions.
  package init(locale: String) {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let territory = String(name.drop { $0 != "_" && $0 != "-" }.dropFirst().suffix(2)).uppercased()
    self.init(
      usesTwelveHours: Self.twelveHours.contains(territory) && name != "fr_CA",
      firstWeekday: Self.sundays.contains(territory)
        ? 7 : Self.saturdays.contains(territory) ? 6 : 1,
      monthComesFirst: ["US", "CA", "PH", "PR"].contains(territory))
  }

  private static let twelveHours = territories(
    "AE AU BD BH CA CO DZ EG GR HK IN IQ JO KR KW LB LY MY NZ OM PH PK PR QA SA SD SG SY TW US VE YE"
  )
  private static let sundays = territories(
    """
    BD BR BT BW BZ CA CO DO ET GT HK HN ID IL IN JM JP KE KH KR LA MM MO MT MX MZ NI NP PA PE PH PK PR PY SA SG SV TH TT TW US VE \
    YE ZA ZW
    """)
  private static let saturdays = territories("AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY")

  private static func territories(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }
}
