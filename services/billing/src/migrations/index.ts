import type { Migrations } from '@operon/kit/migrate'
import * as billing from './0001_billing.ts'
import * as ledger from './0002_ledger.ts'
import * as ended from './0003_ended.ts'
import * as eventQueue from './0004_event_queue.ts'
import * as readIndexes from './0005_read_indexes.ts'
import * as timeOfAPerson from './0006_time_of_a_person.ts'
import * as budgetNotices from './0007_budget_notices.ts'
import * as lists from './0008_lists.ts'
import * as ending from './0009_ending.ts'
import * as rowsOfAPerson from './0010_rows_of_a_person.ts'
import * as suspense from './0011_suspense.ts'
import * as disputes from './0012_disputes.ts'
import * as bookDifferences from './0013_book_differences.ts'
import * as bank from './0014_bank.ts'
import * as referralsById from './0015_referrals_by_id.ts'
import * as selling from './0016_selling.ts'
import * as movements from './0020_movements.ts'
import * as tax from './0021_tax.ts'
import * as refusedPayouts from './0022_refused_payouts.ts'
import * as months from './0023_months.ts'
import * as staff from './0030_staff.ts'
import * as documents from './0031_documents.ts'
import * as sellerMonths from './0040_seller_months.ts'
import * as sellerMonthsDone from './0041_seller_months_done.ts'
import * as fridays from './0042_fridays.ts'
import * as yearly from './0050_yearly.ts'
import * as entriesOfSale from './0070_entries_of_sale.ts'
import * as topUps from './0080_top_ups.ts'
import * as moderatedSellers from './0081_moderated_sellers.ts'
import * as ledgerSums from './0090_ledger_sums.ts'
import * as ledgerSumsRead from './0091_ledger_sums_read.ts'
import * as referralSums from './0092_referral_sums.ts'
import * as payoutsByCurrency from './0093_payouts_by_currency.ts'
import * as bannedPeople from './0094_banned_people.ts'
import * as foundByParts from './0120_found_by_parts.ts'
import * as figures from './0121_figures.ts'
import * as checkoutsOfBuyer from './0122_checkouts_of_buyer.ts'

export const migrations: Migrations = {
  '0001_billing': billing,
  '0002_ledger': ledger,
  '0003_ended': ended,
  '0004_event_queue': eventQueue,
  '0005_read_indexes': readIndexes,
  '0006_time_of_a_person': timeOfAPerson,
  '0007_budget_notices': budgetNotices,
  '0008_lists': lists,
  '0009_ending': ending,
  '0010_rows_of_a_person': rowsOfAPerson,
  '0011_suspense': suspense,
  '0012_disputes': disputes,
  '0013_book_differences': bookDifferences,
  '0014_bank': bank,
  '0015_referrals_by_id': referralsById,
  '0016_selling': selling,
  '0020_movements': movements,
  '0021_tax': tax,
  '0022_refused_payouts': refusedPayouts,
  '0023_months': months,
  '0030_staff': staff,
  '0031_documents': documents,
  '0040_seller_months': sellerMonths,
  '0041_seller_months_done': sellerMonthsDone,
  '0042_fridays': fridays,
  '0050_yearly': yearly,
  '0070_entries_of_sale': entriesOfSale,
  '0080_top_ups': topUps,
  '0081_moderated_sellers': moderatedSellers,
  '0090_ledger_sums': ledgerSums,
  '0091_ledger_sums_read': ledgerSumsRead,
  '0092_referral_sums': referralSums,
  '0093_payouts_by_currency': payoutsByCurrency,
  '0094_banned_people': bannedPeople,
  '0120_found_by_parts': foundByParts,
  '0121_figures': figures,
  '0122_checkouts_of_buyer': checkoutsOfBuyer,
}
