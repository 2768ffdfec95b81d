import { texts } from '@operon/contracts/messages'
import { REFERRAL_PERCENT_OFF } from '@operon/contracts/plans'
import { Check, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { leadBack } from '../../api/arrival.ts'
import { clearAuthKeys, isReferralCode, referralKey } from '../../api/keys.ts'
import type { Role } from '../../api/roles.ts'
import { loadBackend } from '../../api/session.ts'
import { termsVersion } from '../../content/versions.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Checkbox, PasswordField, TextField } from '../../ui/Field.tsx'
import { Alert } from '../../ui/Panel.tsx'
import { MailSent } from './MailSent.tsx'
import type { Report } from './PortalPage.tsx'
import { allHold, generalRules, type Rule, roleRules } from './rules.ts'

const autoSignInMs = 2000

type FormProps = {
  role?: Role
  referred: boolean
  report: Report
  begin: () => void
  clear: () => void
  onSignedIn: (welcome: { title: string; text?: string }) => Promise<void>
}

export function SignUpForm({ role, referred, report, begin, clear, onSignedIn }: FormProps) {
  const rules = role ? roleRules : generalRules
  const [password, setPassword] = useState('')
  const [confirm, setConfirm] = useState('')
  const [terms, setTerms] = useState(false)
  const [busy, setBusy] = useState(false)
  const [waiting, setWaiting] = useState<{ email: string; name: string; delayed: boolean }>()
  const back = role ? `/auth/${role}` : paths.auth
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])

  const mismatch = confirm !== '' && confirm !== password
  const ready = terms && (!role || (allHold(rules, password) && confirm === password))

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const account = {
      email: String(data.get('email')).trim(),
      name: String(data.get('name')).trim(),
      password,
      marketing: data.get('marketing') === 'on',
    }
    if (!terms) return report(texts.termsRequired, 'Please accept the Terms of Service and Privacy Policy.')
    if (!allHold(rules, password))
      return role ? report(texts.passwordMustMeetAll) : report(texts.passwordRequirementsNotMet, missing(rules, password))
    if (password !== confirm) return report(texts.passwordsDontMatch)
    setBusy(true)
    clear()
    try {
      await create(account)
    } catch (error) {
      report(texts.error, error instanceof Error ? error.message : texts.unexpectedError)
    } finally {
      setBusy(false)
    }
  }

  async function create({ email, name, marketing }: { email: string; name: string; marketing: boolean }) {
    begin()
    clearAuthKeys()
    const { auth, rest } = await loadBackend()
    const known = await rest.from('profiles').select('email').eq('email', email).maybeSingle()
    if (known.data) return report(texts.emailAlreadyRegistered, 'This email is already associated with an account. Sign in instead.')

    const kept = localStorage.getItem(referralKey)
    const referral = isReferralCode(kept) ? kept : null
    const { data, error } = await auth.signUp({
      email,
      password,
      options: {
        emailRedirectTo: leadBack(back, 'signup', email),
        data: { name, referral_code: referral, accept_terms: true, terms_version: termsVersion, accept_marketing: marketing },
      },
    })
    if (error) return report(...signUpMessage(error))
    if (data.session) {
      return onSignedIn({
        title: `Welcome, ${name}!`,
        text:
          referral && referred ? `Your account is ready, with ${REFERRAL_PERCENT_OFF}% off your first month.` : 'Your account is ready.',
      })
    }
    // No session: it must be confirmed first, unless the confirmation came meanwhile.
    setWaiting({ email, name, delayed: Boolean(data.user && !data.user.confirmation_sent_at) })
    timer.current = window.setTimeout(() => {
      begin()
      void auth.signInWithPassword({ email, password })
    }, autoSignInMs)
  }

  if (waiting)
    return (
      <MailSent
        kind="signup"
        email={waiting.email}
        back={back}
        begin={begin}
        onLeave={() => {
          clearTimeout(timer.current)
          setWaiting(undefined)
        }}
        onDone={() => onSignedIn({ title: `Welcome, ${waiting.name}!`, text: 'Your account is ready.' })}
      >
        {waiting.delayed ? (
          <Alert tone="good" title={texts.accountCreated}>
            The confirmation email may be delayed. You can sign in once it has arrived.
          </Alert>
        ) : (
          <Alert tone="good" title={texts.checkYourEmail}>
            We sent it to {waiting.email}. You can also enter its code here.
          </Alert>
        )}
      </MailSent>
    )
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 pt-5">
      <TextField label="Full name" name="name" autoComplete="name" required pattern=".*\S.*" maxLength={100} />
      <TextField label="Email" name="email" type="email" autoComplete="email" required />
      <div className="flex flex-col gap-2">
        <PasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Checklist rules={rules} password={password} />
      </div>
      <PasswordField
        label="Confirm password"
        name="confirm"
        autoComplete="new-password"
        required
        value={confirm}
        onChange={(event) => setConfirm(event.target.value)}
        error={mismatch ? texts.passwordsDontMatch : undefined}
      />
      <div className="flex flex-col gap-2.5">
        <Checkbox name="terms" checked={terms} onChange={(event) => setTerms(event.target.checked)}>
          I accept the{' '}
          <Link to={paths.terms} target="_blank" className="text-text underline decoration-control underline-offset-4">
            Terms of Service
          </Link>{' '}
          and the{' '}
          <Link to={paths.privacy} target="_blank" className="text-text underline decoration-control underline-offset-4">
            Privacy Policy
          </Link>
        </Checkbox>
        <Checkbox name="marketing">Send me product news now and then (optional)</Checkbox>
      </div>
      <Button type="submit" variant="primary" size="public" disabled={!ready} busy={busy ? 'Creating your account' : false}>
        Sign Up
      </Button>
    </form>
  )
}

function Checklist({ rules, password }: { rules: Rule[]; password: string }) {
  return (
    <ul aria-label="Password requirements" className="grid gap-x-4 gap-y-1 text-12 sm:grid-cols-2">
      {rules.map((rule) => {
        const holds = rule.holds(password)
        const Icon = holds ? Check : X
        return (
          <li
            key={rule.text}
            data-holds={holds}
            className={cx('flex items-center gap-1.5', holds ? 'text-good' : password ? 'text-bad' : 'text-faint')}
          >
            <Icon className="size-3.5" />
            <span>{rule.text}</span>
            <span className="sr-only">{holds ? ' (met)' : ' (not met)'}</span>
          </li>
        )
      })}
    </ul>
  )
}

function missing(rules: Rule[], password: string) {
  return rules
    .filter((rule) => !rule.holds(password))
    .map((rule) => rule.text)
    .join(', ')
}

function signUpMessage(error: { code?: string; message: string; status?: number }): [string, string, 'bad' | 'good'] {
  // The auth client writes an answer without words as its JSON.
  const text = error.message?.startsWith('{') ? '' : (error.message ?? '')
  if (error.code === 'user_already_exists' || error.code === 'email_exists' || /already registered/i.test(text))
    return [texts.accountAlreadyExists, 'An account with this email exists. Sign in instead.', 'bad']
  // A refused sign-up made no account; a mail held back by its limit did.
  if (error.code === 'over_request_rate_limit') return ['Too many attempts', text, 'bad']
  if (error.status === 429 || /rate limit|too many requests/i.test(text))
    return [texts.accountCreated, 'Your email confirmation may be delayed. Please check your inbox in a few minutes.', 'good']
  if (/confirmation email|trial email/i.test(text))
    return [texts.accountCreated, 'The confirmation email could not be sent. Please try signing in.', 'good']
  return [texts.error, text || texts.unexpectedError, 'bad']
}
