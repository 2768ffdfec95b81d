import { HISTORY_GRACE_DAYS, historyDaysOf, REFUND_WINDOW_DAYS, type Tier, TRIAL_DAYS } from '@operon/contracts/plans'
import { product } from './product.ts'
import { termsVersion } from './versions.ts'

/** As the contract of erasure has it; this file ships without zod. */
export const eraseWithinDays = 30
const historyYears = (tier: Tier) => historyDaysOf(tier) / 365

export type LegalText = {
  version: string
  effective: string
  title: string
  intro: string
  sections: { title: string; body: (string | string[])[] }[]
}

export const terms: LegalText = {
  version: termsVersion,
  effective: 'November 1, 2026',
  title: 'Terms of Service',
  intro: `These terms are the agreement between you and the operator of this ${product.name} installation ("we"). They are written to be read. Where they say "the service", they mean the website, the dashboard and everything reached through them.`,
  sections: [
    {
      title: 'The account',
      body: [
        'You need to be 18 or older, or the age at which you can make a binding contract where you live. Keep your password to yourself; what is done with your account is done in your name. Tell us at once when you think someone else has used it.',
        'An account is for one person or one business. A seller may buy, too.',
      ],
    },
    {
      title: 'Plans, trials and prices',
      body: [
        `Every plan starts with a free trial of ${TRIAL_DAYS} days, once per person and card. A trial that is not cancelled becomes the plan you chose, billed in advance, each month or each year as you chose, until you cancel. Before a year is billed again, we remind you by email. Cancelling takes effect at the end of the period already paid.`,
        'The plans on sale and their limits stand on the plan page. The following figures are listed here for reference; no plan is sold at them today:',
        ['$139 per month', '$199 per month', '$299 per month', '$499 per month'],
        'When a limit of a plan is used up, the tool it counts for stops until the next month or the next plan. We do not bill for going over.',
      ],
    },
    {
      title: 'Messages and phone numbers',
      body: [
        'Where messaging channels are offered, these prices apply:',
        [
          'WhatsApp marketing messages: $0.08 each',
          'WhatsApp utility messages: $0.02 each, free within the 24-hour window',
          'Phone numbers: from $1 per month',
        ],
      ],
    },
    {
      title: 'Referrals',
      body: [
        `A valid referral code takes 30% off the first month. The person who referred gets the credit after the refund window of ${REFUND_WINDOW_DAYS} days. A code does not work for the account that owns it.`,
      ],
    },
    {
      title: 'Selling and buying',
      body: [
        'Sellers offer their own products here, and you buy from the seller who made them:',
        [
          'Sellers set their prices, own what they publish and answer for it: that it works as described and infringes nobody',
          'A buyer gets the licence that the item names',
          'Payments run through a card payment provider',
          `A buyer can ask for a refund within ${REFUND_WINDOW_DAYS} days when an item does not work as described`,
        ],
      ],
    },
    {
      title: 'What the assistant makes',
      body: [
        'Texts, images and answers made by AI models can be wrong. Check them before you rely on them or publish them. What you make belongs to you, as far as the law lets it belong to anyone. The assistant asks before it spends money or sends anything in your name.',
      ],
    },
    {
      title: 'What is not allowed',
      body: [
        'No breaking of laws, no spam, no malware, no impersonation, no attempts to get at other people’s data, no use that harms the service for others. We may suspend an account that does so, and say why.',
      ],
    },
    {
      title: 'Availability and liability',
      body: [
        'We work to keep the service up and your data safe, and cannot promise that it never fails. As far as the law allows, we answer for damage up to what you paid in the twelve months before it. Nothing here limits rights that the law gives consumers.',
      ],
    },
    {
      title: 'Ending',
      body: [
        'You can delete the account in the settings at any time; a subscription ends with it. We may end the agreement with 30 days’ notice, or at once for a serious breach. Your data can be exported until the end.',
      ],
    },
    {
      title: 'Changes',
      body: [
        'We announce changes by email at least 14 days ahead. The version you accepted is kept with your account.',
        `Questions: ${product.support}.`,
      ],
    },
  ],
}

export const privacy: LegalText = {
  version: '1.0',
  effective: 'November 1, 2026',
  title: 'Privacy Policy',
  intro: `What data the operator of this ${product.name} installation keeps, why, for how long, and what you can ask for.`,
  sections: [
    {
      title: 'What is kept',
      body: [
        [
          'Account: email address, name, password as an argon2id hash, second factors, passkeys (public key, name, last use), which version of the terms you accepted, when and from which address',
          'Use: sign-ins with address and device, an account log, what you asked the tools, what they answered and what it used of your limits',
          'Business: what you put in and what the tools make for you: conversations, what the assistants remember, comparisons, texts, ads and names, and the leads, appointments and campaigns of your account',
          'Billing: plan, payments and the payment provider’s customer number. Card numbers never reach us; the provider’s fingerprint of a card does, so that a card has one trial',
          'Newsletter: the address, once you have confirmed it',
        ],
      ],
    },
    {
      title: 'Why',
      body: [
        'To run the service you signed up for, to keep it safe, to bill it, and to meet accounting law. Product news only if you ticked the box or confirmed the newsletter; each of those emails has a one-click way out.',
      ],
    },
    {
      title: 'Who else sees it',
      body: [
        'The providers that a tool needs, and only what it needs: the payment provider, the email and SMS service, the model provider that answers a question, draws an image, speaks or writes down a recording, the sign-in provider if you use one. No data is sold, and there is no tracking on this site.',
      ],
    },
    {
      title: 'Cookies and storage',
      body: [
        'In this browser’s storage: the session, the theme, a note that the site’s typeface is here, a referral code until you sign in, and how you set a screen (speech on or off, sample data hidden) and the last ads it wrote. Two cookies: one remembers the sidebar for 7 days, one ties a sign-in with a provider to this browser for its ten minutes. Nothing else, so there is no cookie banner.',
      ],
    },
    {
      title: 'How long',
      body: [
        `While the account exists. The account log, and conversations and comparisons that were not used since, go after ${historyYears('none')} years (${historyYears('pro')} on Pro, ${historyYears('enterprise')} on Enterprise), never within ${HISTORY_GRACE_DAYS} days of the end of a plan; a session that was not used for 180 days. After deletion each part of the service erases or anonymises what it holds within ${eraseWithinDays} days. What was paid stays in the books as long as accounting law asks, under a number that leads to nobody.`,
      ],
    },
    {
      title: 'Your rights',
      body: [
        'See, correct, export, restrict and delete your data. An export of all of it, and deletion, are in the settings; for the rest write to us. You may complain to your data protection authority.',
        `Contact: ${product.support}.`,
      ],
    },
  ],
}
