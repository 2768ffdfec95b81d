import { type Question, soughtIn } from './answer.ts'

/** What people ask most in a first hour: answered as a good colleague would, so that a demo shows real use. The first that fits is given. */
const talks: [words: RegExp, answer: (question: Question) => string][] = [
  [
    /\brefund\b/,
    () => `Here is a reply that stays warm and still holds your policy:

> Hi {{first_name}},
>
> thank you for writing, and I am sorry that it did not work out for you. Our returns are open for 30 days, and your order is now 40 days old, so I cannot refund it in full.
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
    /\bplan\b.*\b(next )?week\b|\bweek(ly)? plan\b/,
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
    /\bsubject lines?\b/,
    () => `1. **Spring is here. So is 20 % off.** Plain, and it opens well with people who bought before.
2. **The box you looked at is cheaper until Sunday.** For those who left something in the basket.
3. **Out with the winter stock (yours and ours).** A smile; best for regulars.
4. **48 hours, then it is gone.** Use it once a season at most, or it stops being true.
5. **You are first: the spring sale opens tonight.** For your list alone, an hour before everybody else.

Send 1 and 5 to a tenth of the list each, wait two hours, and give the rest the better one. All five stay under 50 characters, so a phone shows them whole.`,
  ],
  [
    /\b(code|script|function|javascript|typescript|python|html|css|sql|snippet|webhook|formula|spreadsheet)\b/,
    ({ text }) =>
      /\bsql\b/i.test(text)
        ? `This counts orders and revenue by month, newest first:

\`\`\`sql
select date_trunc('month', paid_at) as month,
       count(*) as orders,
       sum(amount_cents) / 100.0 as revenue
from orders
where status = 'paid'
group by 1
order by 1 desc;
\`\`\`

Add \`and paid_at >= now() - interval '12 months'\` if the table is large. Amounts stay in cents until the last step, so nothing is rounded twice.`
        : `Here it is, small enough to read in one go:

\`\`\`js
// Adds a quote request from your website's form to your contacts and answers at once.
async function onQuoteRequest(form) {
  const { name, email, message } = Object.fromEntries(new FormData(form))
  if (!email.includes('@')) throw new Error('That e-mail address has no @.')

  const response = await fetch('/api/contacts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, email, source: 'website', note: message.slice(0, 2000) }),
  })
  if (!response.ok) throw new Error(\`The request was not saved (\${response.status}). Please try again.\`)
  return response.json()
}
\`\`\`

**What to know**

- \`message.slice(0, 2000)\` keeps a very long text from being refused.
- It throws a sentence a person can read, so you can show \`error.message\` as it is.
- Replace \`/api/contacts\` with your own address.

Do you want the form itself as well?`,
  ],
  [
    /\b(table|compare|comparison|versus|vs\.?|pros and cons|difference between)\b/,
    ({ text, topic }) => `The short version for **${sidesOf(text) ? soughtIn(text) : topic}**:

| | ${(sidesOf(text) ?? ['Option A: keep it simple', 'Option B: do it properly']).join(' | ')} |
| --- | --- | --- |
| Ready in | 2 days | 2-3 weeks |
| Cost to start | $0-50 | $400-900 |
| Cost a month | $20 | $45-80 |
| What breaks first | Your patience at 50 orders a week | Nothing until about 500 |
| Way back | Easy | Needs an export |

**I would start with the first**, and write down the number that makes you switch (for most small shops: 40 orders a week, or the second person who needs to see them). The second is right from the first day only when somebody else depends on it.

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

For **${topic}**, measure the second line first. It costs nothing, shows within a week, and everything after it gets better with it.

**This week**

1. Time ten real enquiries from arrival to first answer.
2. Write one reply you would be glad to get. Use it for all ten of next week.
3. On Friday compare the two weeks. Keep what moved.`,
  ],
  [
    /\b(by (itself|themselves)|automat(e|ic|ion)|follow(ing)? up|reminders?)\b/,
    ({
      topic,
    }) => `**Trigger.** ${topic.charAt(0).toUpperCase() + topic.slice(1)}: begin when the thing happens, not on a clock. For unpaid quotes that is "sent, no answer after 2 days".

**Steps**

1. Day 2, 10:00: a short mail. *"Did the quote arrive? I kept Thursday 14:00 free for questions."*
2. Day 6: a second one with a single question that can be answered with yes or no.
3. Day 12: a kind goodbye. *"I will close this for now; one word and it is open again."* This one gets the most answers.
4. Any reply stops the rest at once.

**What could go wrong**

- Somebody paid by bank transfer and still gets a reminder. Check the account before each step.
- Two quotes to the same person: merge them, or they get six mails.
- A holiday. Send on working days, between 9 and 17 in *their* time zone.

Start with step 1 alone, and read the first twenty before you switch on step 2.`,
  ],
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
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function talk(question: Question): string | null {
  const said = question.text.toLowerCase()
  const found = talks.find(([words]) => words.test(said))
  return found ? found[1](question) : null
}
