import type { Question } from './answer.ts'
import { capital, clip } from './words.ts'

export function code({ text }: Question): string {
  if (/\bsql\b/i.test(text))
    return `This counts orders and revenue by month, newest first:

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
  if (!/\b(forms?|webhook|quote|contact)\b/i.test(text)) return frame(text)
  return `Here it is, small enough to read in one go:

\`\`\`js
// Adds a quote request from your website's form to your contacts and answers at once.
async function onQuoteRequest(form) {
  const { name, email, message } = Object.fromEntries(new FormData(form))
  if (!email.includes('@')) throw new Error('That email address has no @.')

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

Do you want the form itself as well?`
}

/** A stand-in writes no programs: it shows where the answer goes and what was asked of it. */
function frame(text: string): string {
  const purpose = clip(text.trim().replace(/\s+/g, ' '), 100)
  const name = (/\b(?:that|to|which|for)\s+(.{3,60})/i.exec(purpose)?.[1] ?? 'answer').toLowerCase()
  const said = name.match(/[a-z]+/g)?.filter((word) => !/^(an?|the|my|our|me|i)$/.test(word)) ?? []
  const words = said.length ? said.slice(0, 3) : ['answer']
  const code = /\bpython\b/i.test(text)
    ? `\`\`\`python\ndef ${words.join('_')}(value):\n    """${purpose}"""\n    raise NotImplementedError\n\`\`\``
    : `\`\`\`js\n// ${purpose}\nexport function ${words[0]}${words.slice(1).map(capital).join('')}(value) {\n  throw new Error('Not written yet')\n}\n\`\`\``
  return `The sandbox has no model that could write a program, so this is the frame that the answer goes into:\n\n${code}\n\nWith a key set, the real model fills it in, and **Copy** above takes the code as it stands.`
}
