import { texts } from '@operon/contracts/messages'
import type { User } from '@supabase/auth-js'
import { ArrowUpRight, CreditCard, LayoutDashboard, LogOut, Settings, ShoppingBag, Store } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import { openBillingPortal } from '../api/billing.ts'
import { useRole } from '../api/roles.ts'
import { signOut } from '../api/signOut.ts'
import { homeOf, paths } from '../paths.ts'
import { Avatar, initialsOf } from '../ui/Data.tsx'
import { Menu, MenuItem, MenuSeparator } from '../ui/Menu.tsx'
import { toast } from '../ui/toast.tsx'

/** The profile menu of the public header and of the shell: the same account, two sets of ways out. */
export function AccountMenu({ user, where }: { user: User; where: 'public' | 'shell' }) {
  const navigate = useNavigate()
  const { data: role } = useRole(user.id)
  const name = typeof user.user_metadata.name === 'string' ? user.user_metadata.name : ''

  async function leave() {
    const left = await signOut()
    if (!left) return toast.error(texts.errorSigningOut, 'Check your connection and try again. You are still signed in.')
    navigate(paths.home)
    toast.success(texts.signedOut)
  }

  async function billing() {
    const failed = await openBillingPortal()
    if (!failed) return
    if (where === 'shell') toast.error(texts.failedToOpenPortal, failed.message)
    else toast.error(failed.reached ? texts.unableToAccessPortal : texts.errorAccessingPortal, failed.message)
  }

  return (
    <Menu
      trigger={(props) => (
        <button
          type="button"
          {...props}
          aria-label={`Account menu ${initialsOf(user.email, name)}`}
          className="grid size-9 place-items-center rounded-full hover:bg-raised max-md:size-11"
        >
          <Avatar email={user.email} name={name} />
        </button>
      )}
    >
      <p className="px-2 [overflow-wrap:anywhere] pt-1.5 pb-2 text-12 text-faint">{user.email || name || 'Signed in'}</p>
      <MenuSeparator />
      {where === 'public' ? (
        <MenuItem icon={<LayoutDashboard />} to={homeOf(role)}>
          Dashboard
        </MenuItem>
      ) : null}
      {where === 'public' && role === 'buyer' ? (
        <MenuItem icon={<Store />} to={paths.pricing}>
          Become a seller
        </MenuItem>
      ) : (
        <MenuItem icon={<ShoppingBag />} to={paths.buyer}>
          {where === 'public' ? 'Buyer dashboard' : 'Become a Buyer'}
        </MenuItem>
      )}
      <MenuItem icon={<CreditCard />} onSelect={billing} hint={<ArrowUpRight />}>
        Billing
      </MenuItem>
      <MenuItem icon={<Settings />} to={where === 'public' && role === 'buyer' ? paths.buyerSettings : '/dashboard/integrations'}>
        Settings
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onSelect={leave}>
        Log out
      </MenuItem>
    </Menu>
  )
}
