/** The assistant's first words, by the page that the person is on. */
const greetings: Record<string, string> = {
  '/dashboard': 'You are on your dashboard. Ask what the figures mean, or tell me where to take you.',
  '/dashboard/ai-lab': 'You are in the AI Lab. I can help you choose a model, or sharpen a prompt before you compare.',
  '/dashboard/image-studio': 'You are in the Image Studio. Describe a picture and I help you put it into a prompt.',
  '/dashboard/content-creator': 'You are in the Content Creator. Tell me what the piece is for and I suggest a topic and an angle.',
  '/dashboard/meta-ads': 'You are in the Meta Ads Manager. Ask me about ad copy, audiences or a test plan.',
  '/dashboard/brand-builder': 'You are in the Brand Builder. Say “business name” and what you do, and I suggest five.',
  '/dashboard/voice-agents': 'You are at the voice agents. Ask me what an agent should say and when it should hand over.',
  '/dashboard/workflows': 'You are at the workflows. Tell me what to automate and I lay out the steps.',
  '/dashboard/calendar': 'You are in the calendar. Ask me how to plan your week or word an invitation.',
  '/dashboard/email-studio': 'You are in the Email Studio. Tell me who it is for and why, and I draft the text.',
  '/dashboard/crm': 'You are in the CRM. Ask me how to follow up with a lead, or what to ask in a first call.',
  '/dashboard/payments': 'You are at the payments. Ask me what a fee, a payout or a dispute means.',
  '/dashboard/analytics': 'You are in the analytics. Ask me which number to look at first, and why.',
  '/dashboard/notion': 'You are at your notes workspace. Ask me how to structure a page or a database.',
}

export function greetingFor(pathname: string, product: string) {
  return (
    greetings[pathname.replace(/^\/dashboard\/seller$/, '/dashboard')] ??
    `I am ${product}. Ask me anything, or say “go to” and a page to be taken there.`
  )
}

/** Beginnings of what it does beside answering; the person finishes the sentence. */
export const assistantStarters = ['Go to the ', 'Suggest a business name for ', 'Research ']

export const stayedHere = 'Stopped. You are still on this page.'
export const wentElsewhere = (name: string) => `You opened another page, so ${name} was not opened.`
