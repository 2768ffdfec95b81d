import type { Starter } from '@operon/contracts/ai-gateway/starters'

export const LAB_QUESTION = 'How should a small agency open its pricing page?'

/** Answers that models once gave, kept for demos in which no model is asked. */
export const recordings: Record<Starter | typeof LAB_QUESTION, string> = {
  'Write a reply to a customer who wants a refund after 40 days': `Subject: Your refund request

Hello,

Thank you for telling us. Our refunds are open for 30 days and your order is 40 days old, so I cannot send the money back in full.

Here is what I can do today:

- **Store credit** for the whole amount, good for a year, or
- **an exchange** for another product of the same price, with shipping on us.

Reply with the one you prefer and I will arrange it before the end of tomorrow.`,
  'Plan next week for a two-person bakery': `| Day | Early (4:00–9:00) | Late (9:00–14:00) |
|---|---|---|
| Mon | Closed | Orders, books, deep clean |
| Tue | Bread and rolls | Counter, dough for Wednesday |
| Wed | Bread, two cakes | Counter, café delivery at 11:00 |
| Thu | Bread and rolls | Counter, weekend orders close at 13:00 |
| Fri | Bread, pastry | Counter, dough for Saturday |
| Sat | Full range | Counter until 13:00 |
| Sun | Closed | Free for both |

Each of you has Sunday and one early shift off. Thursday's deadline keeps Saturday's bake at a size that two people can finish.`,
  'Explain my cash flow to me as if I had never run a business': `Think of a bathtub. Money that customers pay is the tap. Rent, wages and suppliers are the drain. Cash flow is the water level, not how much came out of the tap this month.

1. **A sale is not water yet.** An invoice that is paid in 30 days fills the tub in 30 days.
2. **The drain does not wait.** Rent leaves on the first, whether or not anyone has paid you.
3. **Profit can sit beside an empty tub.** It happens when customers pay later than you do.

Write down the next six weeks: what comes in, what goes out, and on which day. The lowest day is the one to plan for.`,
  'Give me five subject lines for a spring sale': `1. Spring is here, and 20 % is off until Sunday
2. Your favourites, at spring prices
3. Three days. Everything light, bright and reduced
4. Open for a first look at the spring sale
5. Out with the wool: spring starts at $19`,
  'Write a two-sentence pitch for a bookkeeping service for freelancers':
    'You do the work you are good at, and we keep the books behind it: every receipt filed, every invoice chased, every tax date met. It costs one fixed price a month, and you can see where you stand on any day of it.',
  'List three risks of raising prices by 10 % in a salon': `1. **Regulars stretch the gap.** A client who came every five weeks comes every seven, and the year brings in less than before.
2. **Walk-ins compare.** Cut and blow-dry is the price people know; it should rise last.
3. **The team hears it first.** If stylists cannot say why in one sentence, they will apologise for it.

Tell regulars four weeks ahead, and keep one service at its old price.`,
  'Answer this review kindly: “Great food, but we waited 50 minutes.”':
    'Thank you for coming, and for being patient with us. Fifty minutes is too long. We were one cook short that evening and should have told you at the door. Ask for me next time and the first round of drinks is ours.',
  [LAB_QUESTION]:
    'Lead with the outcome: **“Your first campaign, live before lunch.”** Then one line on how, and the price beside it. Everything else answers the question of what happens after the trial.',
}

/** Said to every question without a recording. It admits that it is not an answer. */
const NO_RECORDING =
  'This is a demo, so no model answers here. Only the suggested questions have a recorded answer. Create an account to ask your own.'
export const RECORDED = 'recorded'

export const recordedAnswer = (question: string): string => (recordings as Record<string, string>)[question.trim()] ?? NO_RECORDING
