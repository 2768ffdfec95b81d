import type { Question } from './answer.ts'

type Voices = { openai: string; anthropic: string; google: string; perplexity: string }

/** The questions that the lab suggests: four models that say the same word for word would compare nothing. */
const asked: [words: RegExp, voices: Voices][] = [
  [
    /\bpitch\b/,
    {
      openai: `You did not start your business to sort receipts on Sunday night. We keep your books for a fixed price a month, and on the fifth you know what you earned, what you owe and what you can spend.`,
      anthropic: `Freelancers lose about a day a month to bookkeeping, and most of that day is worry rather than work. Send us a photo of each receipt when you get it; we do the rest, answer your questions within a day, and your tax date becomes an ordinary Tuesday.

I left out the price on purpose. If yours is fixed, say it in the second sentence: for people with uneven income it is the strongest word you have.`,
      google: `**Your receipts in, your numbers out: books done by the fifth of every month.** One fixed price, one person who knows your business, no software to learn.

- **For:** freelancers with 10-80 receipts a month
- **Promise:** a date and a price
- **Next step:** a free look at last month's receipts`,
      perplexity: `Freelancers name late invoices and tax deadlines as their two largest worries [1], so the pitch should answer both: "We chase your invoices and keep your books for one fixed price a month. You always know what you owe, and you never file late."

Surveys of small firms suggest that a named price raises replies more than a discount does [2].`,
    },
  ],
  [
    /\brisks?\b.*\bprices?\b|\bprices?\b.*\brisks?\b/,
    {
      openai: `1. **The regulars who come for the price leave quietly.** They are usually fewer than feared: at a 10 % rise you may lose one client in eleven and still earn the same. Count who came more than six times last year and tell them first.
2. **The team hears it from clients.** Whoever stands at the chair must be able to say why in one sentence. Practise it once, aloud.
3. **You raise everything, and the cheap services look expensive.** Raise what is fully booked; leave the entry price as the door.

The risk that is rarely named: waiting another year. Costs have risen already, so standing still is a price cut you give without being thanked for it.`,
      anthropic: `I would separate the risks by who feels them.

**Clients.** The one to watch is not the person who complains, but the one who simply books every seven weeks instead of every five. You will not see that in a week; compare the gap between visits before and after.

**Your team.** Stylists often feel a rise as their own fault and begin to give discounts at the chair. Agree beforehand on who may make an exception, and for whom.

**The shop next door.** A rise makes people look around once. If your booking page is hard to use, that is the moment it costs you.

Two of these three are cheap to prevent. May I ask which services are fully booked? That changes where I would begin.`,
      google: `| Risk | How likely | What it costs | What to do first |
| --- | --- | --- | --- |
| Price-sensitive clients leave | Medium | 5-9 % of visits | Tell regulars two weeks before |
| Longer gaps between visits | High | 1 visit a year each | Offer the next date at the till |
| Discounts given at the chair | Medium | A third of the rise | One rule, one person who decides |

**Break-even:** with 10 % more per visit you can lose up to 9 % of visits and earn the same.`,
      perplexity: `- **Loss of price-sensitive clients.** Reports on personal services put the loss after a 10 % rise at 3-8 % of visits, most of it within two months [1].
- **Fewer extras.** Clients who accept the new price often drop the treatment that they used to add [1][2].
- **Poorly told.** Salons that announced the rise with a date and a reason kept more clients than those that changed the list overnight [3].

The sources agree that timing matters more than the amount. Check their dates before you rely on a figure.`,
    },
  ],
  [
    /\b(answer|reply|respond)\b.*\breview\b/,
    {
      openai: `> Thank you for coming in, and for the kind words about the food. Fifty minutes is too long, and I am sorry: on Saturday we took more bookings than the kitchen could serve well. From this week we keep two tables free each hour so that it does not happen again. Write to me before your next visit and the first round is on us. *Jonas, owner*

It answers the praise first, owns the wait without an excuse, and says what has changed. Post it within a day; readers judge the reply more than the review.`,
      anthropic: `> You are right: fifty minutes is not a wait, it is an evening. I am glad the food made up for some of it, and sorry that it had to. We have changed how we take Saturday bookings. If you give us a second chance, ask for me at the door; I would like to bring your first course myself. *Jonas*

I kept it short because long apologies read as excuses. If you do not know yet what you have changed, leave that sentence out rather than promise it.`,
      google: `> Thanks for the feedback. We are happy you enjoyed the food, and sorry about the 50-minute wait. We now limit Saturday bookings so that every table is served within 20 minutes. Please message us before your next visit: drinks are on the house. – Jonas

**Why it works:** thanks → sorry → what changed → invitation. 55 words, readable on a phone.`,
      perplexity: `> Thank you for the kind words about the food, and I am sorry about the 50 minutes. We have reduced Saturday bookings since. I hope you will come back and see the difference. *Jonas, owner*

Guides for restaurants recommend an answer within 24 hours, by name, with one concrete change [1][2]. Offering something free in public is disputed: some advise doing it by private message only [3].`,
    },
  ],
]

export function inFourVoices({ text, provider }: Question): string | null {
  const found = asked.find(([words]) => words.test(text.toLowerCase()))
  return found ? (found[1][provider as keyof Voices] ?? found[1].openai) : null
}
