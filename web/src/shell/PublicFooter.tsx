import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { callPublic } from '../api/call.ts'
import { ApiError } from '../api/http.ts'
import { product } from '../content/product.ts'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { Wordmark } from '../ui/Mark.tsx'

const columns = [
  {
    title: 'Product',
    links: [
      ['Features', '/#features'],
      ['Product tour', '/#demo'],
      ['Pricing', '/#pricing'],
      ['All products', paths.marketplace],
      ['Plans compared', paths.pricing],
    ],
  },
  {
    title: 'Account',
    links: [
      ['Get Started', paths.getStarted],
      ['Sign in', paths.auth],
      ['Sell templates', paths.sellerPortal],
      ['Browse and buy', paths.buyerPortal],
      ['Referrals', paths.referrals],
    ],
  },
  {
    title: 'Trust',
    links: [
      ['Security', paths.security],
      ['Privacy Policy', paths.privacy],
      ['Terms of Service', paths.terms],
    ],
  },
] as const

export function PublicFooter() {
  return (
    <footer id="contact" className="after-paint border-t border-line bg-panel text-14">
      <div className="rail grid grid-cols-1 gap-x-8 gap-y-10 px-5 py-14 md:px-8 md:py-20 lg:grid-cols-12">
        <div className="flex flex-col gap-6 lg:col-span-5">
          <Wordmark name={product.name} />
          <Newsletter />
        </div>
        <div className="grid grid-cols-2 gap-8 sm:grid-cols-[1fr_1fr_1fr_auto] lg:col-span-7">
          {columns.map((column) => (
            <nav key={column.title} aria-label={column.title} className="flex flex-col gap-1">
              <p className="mb-1 font-semibold">{column.title}</p>
              {column.links.map(([label, to]) => (
                <Link key={label} to={to} className="py-1 text-muted transition-colors duration-120 hover:text-text">
                  {label}
                </Link>
              ))}
            </nav>
          ))}
          <div className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere] max-sm:col-span-2">
            <p className="mb-1 font-semibold">Contact</p>
            <a href={`mailto:${product.email}`} className="py-1 text-muted hover:text-text">
              {product.email}
            </a>
            <a href={`mailto:${product.support}`} className="py-1 text-muted hover:text-text">
              {product.support}
            </a>
          </div>
        </div>
      </div>
      <p className="rail border-t border-line px-5 py-5 text-13 text-faint md:px-8">© 2026 {product.name}</p>
    </footer>
  )
}

function Newsletter() {
  const [state, setState] = useState<{ kind: 'idle' | 'busy' | 'sent' } | { kind: 'failed'; message: string }>({ kind: 'idle' })

  async function subscribe(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email') ?? '')
    setState({ kind: 'busy' })
    try {
      await callPublic('newsletter-subscribe', { email })
      setState({ kind: 'sent' })
    } catch (error) {
      const malformed = error instanceof ApiError && error.status === 400
      setState({ kind: 'failed', message: malformed ? 'That is not a valid email address.' : (error as Error).message })
    }
  }

  return (
    <form onSubmit={subscribe} className="max-w-sm">
      <label htmlFor="newsletter" className="mb-1.5 block font-medium">
        Product news by email
      </label>
      <div className="flex gap-2">
        <input
          id="newsletter"
          name="email"
          type="email"
          required
          autoComplete="email"
          placeholder="you@business.com"
          className="h-10 min-w-0 flex-1 rounded-control border border-control/70 bg-page px-3 text-14 max-md:h-11"
        />
        <Button type="submit" size="public" busy={state.kind === 'busy'}>
          Subscribe
        </Button>
      </div>
      <p role="status" className="mt-2 text-13 text-muted">
        {state.kind === 'sent'
          ? 'Check your inbox: the link in it confirms your subscription.'
          : state.kind === 'failed'
            ? `Not subscribed. ${state.message}`
            : 'We ask you to confirm first. One click unsubscribes.'}
      </p>
    </form>
  )
}
