import { Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router-dom'
import { useSession } from '../api/session.ts'
import { product } from '../content/product.ts'
import { paths } from '../paths.ts'
import { ButtonLink, IconButton } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Wordmark } from '../ui/Mark.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { OfflineLine } from './OfflineLine.tsx'
import { PublicFooter } from './PublicFooter.tsx'
import { SandboxRibbon } from './SandboxRibbon.tsx'
import { ThemeToggle } from './ThemeToggle.tsx'

const anchors = [
  ['Home', '/#home'],
  ['Features', '/#features'],
  ['Pricing', '/#pricing'],
  ['Marketplace', '/#marketplace'],
  ['Resources', '/#resources'],
  ['Contact Us', '/#contact'],
] as const

export function PublicLayout({ children, footer = true }: { children: ReactNode; footer?: boolean }) {
  return (
    <div className="smooth-anchors flex min-h-dvh flex-col text-16">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <PublicHeader />
      <main id="content" tabIndex={-1} className="flex flex-1 flex-col pt-16">
        {children}
      </main>
      {footer ? <PublicFooter /> : null}
      <SandboxRibbon floating />
    </div>
  )
}

function PublicHeader() {
  const { user } = useSession({ eager: false })
  const [open, setOpen] = useState(false)
  return (
    <header className="fixed inset-x-0 top-0 z-40 border-b border-line bg-page">
      <div className="rail flex h-16 items-center gap-3 px-5 md:px-8 lg:gap-6">
        <Link to={paths.home} aria-label={`${product.name}, home`} className="-ml-1 rounded-control p-1">
          <Wordmark name={product.name} />
        </Link>
        <nav aria-label="Page" className="hidden flex-1 md:flex lg:gap-0.5">
          {anchors.map(([label, href]) => (
            <Link
              key={label}
              to={href}
              className="rounded-control px-1.5 py-1.5 text-13 whitespace-nowrap text-muted transition-colors duration-120 hover:text-text lg:px-3 lg:text-14"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <ThemeToggle />
          {user ? (
            <AccountMenu user={user} where="public" />
          ) : (
            <span data-signed-out className="hidden items-center sm:flex md:max-lg:[&_a]:px-2.5 lg:gap-2">
              <ButtonLink to={paths.auth} variant="ghost" size="public">
                Login
              </ButtonLink>
              <ButtonLink to={paths.getStarted} variant="primary" size="public">
                Get Started
              </ButtonLink>
            </span>
          )}
          <IconButton label="Menu" aria-expanded={open} onClick={() => setOpen(true)} className="md:hidden">
            <MenuIcon />
          </IconButton>
        </div>
      </div>
      <OfflineLine />
      <Dialog open={open} onClose={() => setOpen(false)} title="Menu" side="right" phoneOnly>
        <nav aria-label="Menu" className="flex flex-col">
          {anchors.map(([label, href]) => (
            <Link key={label} to={href} onClick={() => setOpen(false)} className="flex min-h-12 items-center border-b border-line text-16">
              {label}
            </Link>
          ))}
        </nav>
        {user ? null : (
          <div className="mt-6 flex flex-col gap-2">
            <ButtonLink to={paths.getStarted} variant="primary" size="public">
              Get Started
            </ButtonLink>
            <ButtonLink to={paths.auth} size="public">
              Login
            </ButtonLink>
          </div>
        )}
      </Dialog>
    </header>
  )
}
