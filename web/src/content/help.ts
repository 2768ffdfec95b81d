type HelpArticle = { id: string; title: string; words: string; body: string }

export const quickQuestions = [
  'How do I create my first workflow?',
  'What is the difference between the AI models?',
  'How do I connect my ads account?',
  'How do I set up voice agents?',
  'Which integrations are available?',
] as const

/** The product's own help. It speaks of what is there, and says plainly what is not there yet. */
export const helpArticles: HelpArticle[] = [
  {
    id: 'workflows',
    title: 'Workflows: what you can do today',
    words: 'workflow workflows automation automate first create builder trigger',
    body: `The workflow builder is **not available yet**. There is no page for it in the sidebar, so nothing you read elsewhere about triggers or runs applies to your account today.

What you can do now:

1. Open **AI Assistant** and pick *Automation*. Describe what should happen by itself; the analyst writes down the trigger, the steps and what could go wrong.
2. Keep the result: save the prompt in the **prompt library**, or copy the answer.
3. Your plan page shows how many workflow runs your plan will include.`,
  },
  {
    id: 'models',
    title: 'Which AI model for what',
    words: 'model models difference chatgpt claude gemini perplexity gpt compare lab cheapest fastest',
    body: `The **AI Assistant Lab** asks four models the same thing side by side:

- **ChatGPT** (\`gpt-4o-mini\`): quick and cheap; everyday writing, names, short answers.
- **Claude**: longer texts and careful reasoning; dearer per answer.
- **Gemini** (\`gemini-1.5-flash\`): long inputs; the name lives on, the flash model of today answers.
- **Perplexity**: searches the web and gives its sources.

The chat page and the business analyst use \`gpt-5-mini\`. When a model is retired or does not answer, its successor does, and the line under the answer says who wrote it. Each model's answer costs one prompt of your plan, so a comparison costs four.`,
  },
  {
    id: 'meta-ads',
    title: 'Connecting your Meta ads account',
    words: 'meta facebook instagram ads ad account connect advertising manager campaigns',
    body: `Open **Meta Ads Manager** and press *Connect Meta Ads*. Meta asks what to share and sends you back. You then see campaigns, ad sets and ads with what they cost and bring, and analytics by day. Pausing, resuming and budgets ask you first, and show what Meta says afterwards. A rule can pause a campaign when a result costs too much.

The **AI Generator** tab works without an account. Describe the product or service; you get three variations with primary text (125 characters), headline (27) and description (30), each checked against the limits. *Create ad* makes one at Meta, paused: it spends nothing until you resume it.`,
  },
  {
    id: 'voice-agents',
    title: 'Voice agents',
    words: 'voice agent agents phone call calls vapi retell set up setup',
    body: `Voice agents (phone agents through Vapi or Retell) are **not available yet**. Your plan names how many it will include.

What works with voice today: the **Voice Interface** records a command of up to ten seconds, writes down what it understood and how sure it is, answers, and reads the answer in one of six voices. A recording is not kept. In **Talk to Operon** and in the chat you can speak instead of typing (the microphone button, English), and Operon reads its answers aloud. Speech output is on from the start; switch it off with the loudspeaker, or press *Stop Speaking*.`,
  },
  {
    id: 'integrations',
    title: 'Available integrations',
    words: 'integration integrations connect apps gmail slack hubspot notion google stripe available library',
    body: `The **App Library** connects 26 apps: Gmail, Outlook, Slack, Teams, calendars, HubSpot, Salesforce, Stripe, Notion, Meta Ads and more. Press *Connect*, approve it at the app, and the assistant can read from it and, once you approve, act in it. A connection that an app no longer accepts says *Connect again*.

**Gmail** and **Outlook** can show your emails with a contact on its timeline. Open the app in the library and turn it on for the mailbox; it is off until you do. The emails are read when you open the contact and are not saved here.

**Notion** has a page of its own: your databases and pages, search, and editing that shows both values where somebody else changed the same field in Notion. Under **Contacts** you choose a database of people, under **Tasks** one of tasks: they and your contacts and tasks are kept the same, both ways.

Your own software connects with an **API key** from Settings. See *API keys*.`,
  },
  {
    id: 'assistants',
    title: 'What the assistants look up, propose and remember',
    words: 'assistant analyst look up own data evidence rows propose approval approve undo remember memory forget',
    body: `Every chat can look up what your account holds: payments, usage, contacts, activity. The rows stand below the answer, so you can check each figure.

What writes or sends waits for **your approval**. Each step says what it does; edit it, approve all of them at once, or dismiss them. A change that you can undo is made at once when you ask for just that, like “Mark my notifications as read”. Where there is a way back, *Undo* stands beside the step while it is open.

Say “Remember that …” and the assistants keep those words in mind. **Settings, Memory** shows them, changes and deletes them, and switches it off.`,
  },
  {
    id: 'prompts',
    title: 'Prompts, limits and what an answer costs',
    words: 'prompt prompts limit plan usage cost tokens quota month left upgrade used',
    body: `One answer of one model costs one prompt of your plan; a comparison of four models costs four. An answer that never came uses no prompt; a cut answer is marked as cut and what had arrived is kept. If you stop a question that a model is already reading, it counts as one prompt. Where an assistant looks something up in your account, each round of looking up costs one more.

Each plan also has a **model budget** a month: what its answers may cost at the models' list prices. Short questions to small models use little of it, long texts and large models more. What a provider bills us for an answer that failed counts toward it too.

See **Settings, AI usage** for this month by model and feature, and where the month is heading. Press the gauge under any answer for its tokens and model cost. When the prompts or the budget of a plan are used up, answers stop until the next period, an upgrade or a top-up on the plan page; nothing else stops. Top-ups are used after the allowance of the month and do not expire.`,
  },
  {
    id: 'conversations',
    title: 'Conversations: find, rename, edit, delete',
    words: 'conversation conversations history chat search rename delete regenerate edit resend saved stop reload',
    body: `Conversations are kept in your account. On the left of a chat you can search, open, rename and delete them; a deletion can be undone for ten seconds.

- **Regenerate** asks for another answer in the same place.
- **Edit and resend** (the pencil at your message) drops what followed and answers anew.
- **Stop** ends an answer and keeps what had arrived.
- If you reload in the middle of an answer, it is written to its end and is there when you come back.`,
  },
  {
    id: 'keyboard',
    title: 'Keyboard shortcuts',
    words: 'keyboard shortcut shortcuts keys hotkey hotkeys press enter escape',
    body: `On a Mac, press Cmd where it says Ctrl.

| Press | Where | What happens |
| --- | --- | --- |
| Ctrl K | Everywhere | Search and commands |
| Ctrl B | Everywhere | Sidebar to icons and back |
| Enter | A message | It is sent; Shift Enter begins a new line |
| Esc | While an answer is written | It stops, and what had arrived is kept |
| Ctrl Shift O | A chat | A new conversation |
| F2, Delete | A conversation in the list | Rename, delete |
| Ctrl Enter | The AI Assistant Lab | Compare All |`,
  },
  {
    id: 'content',
    title: 'Writing with the Content Creator',
    words: 'content creator blog social email video ad product description write download post',
    body: `Choose one of six types (blog post, social posts, email, video script, ad copy, product description), give a topic, and add requirements if you have any. A piece takes about 20-30 seconds and is written as you watch; you can stop it.

**Copy** puts it on the clipboard, **Download** saves a text file named after the topic and the type. Earlier pieces stand under *Your pieces*.`,
  },
  {
    id: 'names',
    title: 'Names and domains with the Brand Builder',
    words: 'brand builder name names domain domains business company availability registrar price',
    body: `Describe the business and you get up to eight names. Choose one to check .com, .net, .org, .io and .co with the registries. A domain is *available*, *taken*, or *unknown* when its registry did not answer; it is never guessed.

Beside each domain are the prices of three registrars (Porkbun, Vercel and NameSilo): the first year, and each year after it. The date of the prices is below the table. If a registrar has sent no price, the link opens its page.`,
  },
  {
    id: 'api-keys',
    title: 'API keys',
    words: 'api key keys openai sdk developer program software connect own revoke scope',
    body: `In **Settings, API keys** you make keys for your own software. A key has a name, scopes (chat, models), an optional monthly limit, and is shown once. Point any OpenAI client at your installation's address followed by \`/ai/v1\`:

\`\`\`
client = OpenAI(base_url="https://your-address/ai/v1", api_key="opk_...")
\`\`\`

Images (\`/images/generations\`, \`/images/edits\`), speech (\`/audio/speech\`) and transcriptions (\`/audio/transcriptions\`) answer at the same address. Answers and images count against your plan. A revoked key is refused at once.`,
  },
  {
    id: 'sandbox',
    title: 'What “Sandbox answer” means',
    words: 'sandbox answer fake test stand-in provider key sample data badge',
    body: `An installation without a provider's key uses a built-in stand-in, so that everything can be tried. Such an answer wears *Sandbox answer*: it is canned text, not advice. The line at the top of the page names the providers concerned.

*Sample data* is different: figures shown while an account has none of its own. They disappear with your first real record.`,
  },
  {
    id: 'account',
    title: 'Plan, billing and account',
    words: 'plan billing subscription cancel invoice trial password passkey security key two factor account email settings portal',
    body: `The plan page shows your plan, its limits, what you have used, and switches plans. **Billing** in the profile menu opens the billing portal in a new tab: cards, invoices and cancelling are there. The trial is 3 days.

Settings hold your profile, password, passkeys, second factor, devices, audit log, and a download of your data.`,
  },
]

const common = new Set('how do i my the a an is what which to of are and for in can set up it with on does you your me'.split(' '))

/** The articles that a question is about, best first; at most three. */
export function articlesFor(question: string): HelpArticle[] {
  const asked = new Set((question.toLowerCase().match(/[a-z]+/g) ?? []).filter((word) => !common.has(word)))
  return helpArticles
    .map((article) => {
      const words = article.words.split(' ')
      const body = article.body.toLowerCase()
      const score = [...asked].reduce((sum, word) => sum + (words.includes(word) ? 3 : body.includes(word) ? 1 : 0), 0)
      return { article, score }
    })
    .filter(({ score }) => score >= 3)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ article }) => article)
}

/** The facts that the model may rest on, and the order to say so when it does not know. */
export function helpContext(product: string, articles: HelpArticle[]) {
  const known = articles.map(({ title, body }) => `## ${title}\n${body}`).join('\n\n')
  return `You are the help of ${product}, a platform for small businesses. Answer from the help text below only, briefly and in plain words. If the help text does not say it, say that you do not know and point to support. Never claim that something exists which the help text calls not available.\n\nHelp documentation:\n\n${known || 'No article fits this question.'}`
}
