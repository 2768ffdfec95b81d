import { usePlatform } from '../api/platform.ts'
import { cx } from '../ui/cx.ts'

const names: Record<string, string> = {
  stripe: 'Stripe',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  perplexity: 'Perplexity',
  smtp: 'Mail',
  sms: 'SMS',
  twilio: 'SMS',
  github: 'GitHub',
  notion: 'Notion',
  meta: 'Meta',
  slack: 'Slack',
  hubspot: 'HubSpot',
  mailersend: 'MailerSend',
}

/** One quiet line: which third parties are stand-ins here, and where their mail went. */
export function SandboxRibbon({ floating }: { floating?: boolean }) {
  const { sandboxed } = usePlatform()
  if (sandboxed.length === 0) return null
  const more = sandboxed.length - 4
  return (
    <aside
      aria-label="Sandbox"
      className={cx(
        'z-30 flex h-7 items-center justify-center gap-2 border-line bg-raised px-4 text-12 text-muted',
        floating ? 'sticky bottom-0 border-t' : 'border-b',
      )}
    >
      <span className="truncate">
        Sandbox:{' '}
        {sandboxed
          .slice(0, 4)
          .map((provider) => names[provider] ?? provider)
          .join(', ')}
        {more > 0 ? ` and ${more} more` : ''} {sandboxed.length === 1 ? 'is a stand-in' : 'are stand-ins'}
      </span>
      <a
        href="/sandbox/inbox"
        target="_blank"
        rel="noreferrer"
        className="shrink-0 text-text underline decoration-control underline-offset-2 hover:decoration-text"
      >
        Open the inbox
      </a>
    </aside>
  )
}
