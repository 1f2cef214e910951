import Panes

extension MeFactory.Page {
  /// The histories that can be imported into an account that this process has open.
  static func imports(_ services: AccountServices, _ context: LaunchContext) -> Self {
    .imports(
      AccountHistoryFinder(
        transfers: services.historyTransfers, environment: context.environment))
  }
}
