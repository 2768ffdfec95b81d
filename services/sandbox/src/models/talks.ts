import type { Question } from './answer.ts'
import { code } from './code.ts'
import { automated } from './tasks.ts'
import { capital, clip, soughtIn } from './words.ts'

/** The most common questions of a first hour, answered as a good colleague would, so that a demo shows real use. The first that fits is given. */
const talks: [words: RegExp, answer: (question: Question) => string][] = [
  [
    /\brefund\b(?!.*\btwice\b)(?=.*\bdays\b)|\b(reply|answer|letter|mail)\b.*\b(refund|complaint)\b/,
    ({ text }) => `Here is a reply that stays warm and still holds your policy:

> Hi {{first_name}},
>
> thank you for writing, and I am sorry that it did not work out for you. Our returns are open for 30 days, and your order is now ${/(\d+) days/.exec(text)?.[1] ?? '[40]'} days old, so I cannot refund it in full.
>
> What I can do today: **store credit for the full amount**, or an **exchange** for anything of the same price. Tell me which you prefer and I will set it up within the hour.
>
> Best regards,
> {{sender_name}}

Why it works:

1. It says sorry once and gives the reason in one sentence, without hiding behind "policy".
2. It offers two things that you can keep, so the customer chooses instead of arguing.
3. It names a time. That alone halves the number of follow-up mails.

If the product was faulty, do not send this one: the 30 days do not apply then.`,
  ],
  [
    /\brefunds?\b/,
    ({ text }) => `On "${clip(text.trim(), 90)}": give it back first, ask afterwards. In this order:

1. **Look at the payment, not at the mail.** Amount, day and the last four digits of the card. Was it charged once or twice?
2. **Refund to the same card.** Never by transfer to an account that somebody names: that is how refunds are stolen.
3. **Write one sentence.** *"It is on its way back; your bank shows it within 5-10 days."*
4. **Note why.** Three of a kind in a month is a fault of the shop, not of the customers.

The fee of the first payment is usually not returned to you. Count it as the price of not having the argument.`,
  ],
  [
    /\bplan\b.*\b(baker\w*|bread|cakes?)\b/,
    () => `Two people, one oven, seven days. I kept one afternoon free for what always comes up.

| Day | Person A | Person B | Bake |
| --- | --- | --- | --- |
| Monday | Order flour and dairy | Deep clean, sourdough starter | Half batch |
| Tuesday | Shop, 7-13 | Deliveries to cafés | Full |
| Wednesday | Shop, 7-13 | Test one new recipe | Full |
| Thursday | Invoices, 90 minutes | Shop, 7-13 | Full |
| Friday | Shop, 7-14 | Pre-orders for Saturday | Full + 30 % |
| Saturday | Shop, 7-15 | Shop, 7-15 | Full + 60 % |
| Sunday | Free | Free | – |

**Three rules that keep it standing**

- Pre-orders close on Thursday at 18:00. After that the answer is kind, and no.
- Whoever opens does not close.
- Friday, 20 minutes together: what sold out before noon, what came back, one change for next week.

Shall I turn Saturday into an hour-by-hour list?`,
  ],
  [
    /\bplan\b.*\b(week|month)\b|\bweek(ly)? plan\b/,
    ({ text }) => `A week${tradeIn(text)} with one afternoon free for what always comes up. Move the blocks, but keep their number.

| Day | Morning | Afternoon | Before you stop |
| --- | --- | --- | --- |
| Monday | The hardest job of the week | Quotes and call-backs | Write tomorrow’s first task |
| Tuesday | Customers | Customers | Ten minutes: answer what is open |
| Wednesday | Customers | **Free** | – |
| Thursday | Customers | Invoices, 90 minutes | Order what runs out by Monday |
| Friday | Customers | What slipped | 15 minutes: what worked, what stays |

**Three rules that keep it standing**

- Nothing is promised for Wednesday afternoon. It is where the emergencies go.
- Calls twice a day, at fixed times. Between them the telephone may ring.
- Nine hours are enough. What does not fit moves to next week, or to nobody.

Give me your fixed appointments and I put them in.`,
  ],
  [
    /\bcash ?flow\b|\bmargins?\b|\bprofit\b/,
    () => `Think of a bathtub. **Profit** says whether more water comes in than goes out over a year. **Cash flow** says whether there is water in it *today*. A business can be profitable and still run dry, because people pay you late while rent is due now.

Here is one month of a small shop:

| Week | Comes in | Goes out | In the tub |
| --- | ---: | ---: | ---: |
| Start | | | $4,200 |
| 1 | $2,900 | $3,600 (rent, stock) | $3,500 |
| 2 | $3,100 | $1,200 | $5,400 |
| 3 | $2,700 | $5,800 (wages, tax) | **$2,300** |
| 4 | $4,400 | $1,100 | $5,600 |

The month ends well, and still week 3 is where you lose sleep. So the question is never "did we earn?" but "what is the lowest point, and when?"

**What moves it, quickest first**

1. Invoice on the day of delivery, not on Friday.
2. Ask for 30 % in advance on anything made to order.
3. Move one large payment from week 3 to week 4. Suppliers say yes more often than people ask.

Give me your four biggest payments with their dates and I will draw this table for you.`,
  ],
  [
    /\bsubject lines?\b.*\bspring\b|\bspring\b.*\bsubject lines?\b/,
    () => `1. **Spring is here. So is 20 % off.** Plain, and it opens well with people who bought before.
2. **The box you looked at is cheaper until Sunday.** For those who left something in the basket.
3. **Out with the winter stock (yours and ours).** A smile; best for regulars.
4. **48 hours, then it is gone.** Use it once a season at most, or it stops being true.
5. **You are first: the spring sale opens tonight.** For your list alone, an hour before everybody else.

Send 1 and 5 to a tenth of the list each, wait two hours, and give the rest the better one. All five stay under 50 characters, so a phone shows them whole.`,
  ],
  [
    /\bsubject lines?\b/,
    ({ topic }) => `1. **${capital(clip(topic, 34))}: what it is.** Plain, and it opens well with people who know you.
2. **A question about ${clip(topic, 28)}.** Only if the mail really asks one.
3. **Until Sunday: ${clip(topic, 30)}.** With a true end, or not at all.
4. **You asked, so: ${clip(topic, 30)}.** For those who wrote to you about it.
5. **{{first_name}}, three lines on ${clip(topic, 22)}.** Keep the promise: three lines.

Send two of them to a tenth of the list each, wait two hours, and give the rest the better one.`,
  ],
  [
    /\bjob (advert|ad|posting|description)\b/,
    ({ text }) => `**${capital(/\bfor (?:an?|the) ([^,.:\n]{3,60})/i.exec(text)?.[1] ?? 'somebody who likes to do things well')}**

We are a small team, and we look for one more who would rather finish one thing than begin five.

- **A normal day:** open at 8, two longer jobs, lunch together, an hour for what came in, home at 16:30
- **What you bring:** care, a plain word when something is wrong, and two years in a job like it (or one and curiosity)
- **What you get:** ${/((?:\$|€|£) ?\d+|\d+ ?(?:euros?|dollars|€|\$))/i.exec(text)?.[1] ?? '[pay]'} from the first day, ${/(\d+) hours/.exec(text)?.[1] ?? '[30]'} hours a week, every second Friday off

**Apply in a minute:** send your name, your number and one sentence about the last thing you were proud of. We call within two days, whatever the answer.`,
  ],
  [/\b(code|script|function|javascript|typescript|python|html|css|sql|snippet|webhook|formula|spreadsheet)\b/, code],
  [
    /\b(table|compare|comparison|versus|vs\.?|pros and cons|difference between)\b/,
    ({ text, topic, provider }) => `The short version for **${sidesOf(text) ? soughtIn(text) : topic}**:

| | ${(sidesOf(text) ?? ['Option A: keep it simple', 'Option B: do it properly']).join(' | ')} |
| --- | --- | --- |
| Ready in | 2 days | 2-3 weeks |
| Cost to start | $0-50 | $400-900 |
| Cost a month | $20 | $45-80 |
| What breaks first | Your patience at 50 orders a week | Nothing until about 500 |
| Way back | Easy | Needs an export |

${
  provider === 'anthropic'
    ? '**I lean towards the second**, if more than one person has to find things in it: what costs most is not the fee but the hour in which nobody knows where something stands. Working alone, I would stay with the first and look again in half a year.'
    : '**I would start with the first**, and write down the number that makes you switch (for most small shops: 40 orders a week, or the second person who needs to see them). The second is right from the first day only when somebody else depends on it.'
}

What would you count: time, money or calls from customers? I can weigh the table by that.`,
  ],
  [
    /\b(raise|pricing|prices?|charge)\b/,
    ({ topic }) => `There are three honest ways to set a price, and they answer different questions:

1. **From below: cost.** Material + time at your real hourly cost + a fifth for what goes wrong. This is the floor. Below it you pay to work.
2. **From the side: the market.** Ask three customers what else they looked at. Their list is the market, not the one in your head.
3. **From above: value.** What does the problem cost them if nobody solves it? A price is easy to say when it is a tenth of that.

For ${topic} I would offer three sizes, with the middle one the one you want to sell:

- **Small**: the core, no options. It makes the middle look generous.
- **Middle**: what eight in ten need.
- **Large**: everything, with your time in it. Few buy it; it explains the middle.

Change prices on a date, tell regulars two weeks before, and never apologise for it.`,
  ],
  [
    /\b(leads?|funnel|conver(t|sion)|customers?|clients?|sell|sales)\b/,
    ({ topic }) => `Most small businesses do not need more enquiries; they need to lose fewer. Here is where they usually go:

| Step | Typical | Good | What helps first |
| --- | ---: | ---: | --- |
| Visit → enquiry | 2 % | 4 % | One form, three fields, an answer time on the button |
| Enquiry → reply within 1 h | 35 % | 90 % | An automatic first answer with two times to choose from |
| Reply → quote | 55 % | 70 % | A template with three prices |
| Quote → yes | 28 % | 40 % | A call on day 2, a short mail on day 6 |

**${capital(topic)}**: measure the second line first. It costs nothing, shows within a week, and everything after it gets better with it.

**This week**

1. Time ten real enquiries from arrival to first answer.
2. Write one reply you would be glad to get. Use it for all ten of next week.
3. On Friday compare the two weeks. Keep what moved.`,
  ],
  [/\b(by (itself|themselves)|automat(e|ic|ion)|follow(ing)? up|reminders?)\b/, automated],
  [
    /\b(post today|what (should|could) .* post|ideas?|spring offer)\b/,
    ({ topic }) => `Three for ${topic}, from least work to most:

1. **The question of the week.** What did three customers ask you lately? Answer the most common one in four sentences with one photo. Takes ten minutes, and the answer can be reused on your site.
2. **Before and after.** One thing you made or mended, two pictures, one number (hours, dollars, kilometres). Ask first if a customer can be seen.
3. **An offer with an end.** Something small that fits the season, for ten people, until Sunday. Say why it exists, or it reads like clearance.

Start with 1 today; it needs nobody's permission. Shall I write it?`,
  ],
]

/** The two things that a question weighs against each other. */
function sidesOf(text: string): [string, string] | null {
  const [, first, second] =
    /(?:compare|between|is)?\s*([\w' -]{3,40}?)\s+(?:versus|vs\.?|or|against|compared to)\s+([\w' -]{3,40}?)(?:\s+for\b|[?.,]|$)/i.exec(
      text.replace(/^\s*compare\s+/i, ''),
    ) ?? []
  return first && second ? [capital(first.trim()), capital(second.trim())] : null
}

const tradeIn = (text: string) => {
  const [, preposition, trade] = /\b(as|for) ((?:an?|my|our) [^,.:;?\n]{3,50})/i.exec(text) ?? []
  return trade ? ` ${preposition!.toLowerCase()} ${trade.trim().replace(/^(my|our)\b/i, 'your')}` : ''
}

export function talk(question: Question): string | null {
  const said = question.text.toLowerCase()
  const found = talks.find(([words]) => words.test(said))
  return found ? found[1](question) : null
}
