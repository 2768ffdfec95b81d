import type { Provider, UserIdentity } from '@supabase/auth-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { leadBack } from '../../api/arrival.ts'
import { arrivalHash } from '../../api/keys.ts'
import { useAuthSettings } from '../../api/platform.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { ErrorState, Panel } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

const names: Record<string, string> = {
  email: 'Email and password',
  phone: 'Phone',
  google: 'Google',
  github: 'GitHub',
  azure: 'Microsoft',
  apple: 'Apple',
  facebook: 'Facebook',
  notion: 'Notion',
  slack_oidc: 'Slack',
}
const plain = new Set(['email', 'phone', 'anonymous_users', 'saml', 'web3'])

/** The ways into this account. The last one cannot be taken away. */
export function SignIns() {
  const { user } = useSession()
  const queries = useQueryClient()
  const [removing, setRemoving] = useState<UserIdentity>()
  const settings = useAuthSettings()
  const key = ['identities', user?.id]
  const identities = useQuery({
    queryKey: key,
    queryFn: async () => {
      const { auth } = await loadBackend()
      const { data, error } = await auth.getUserIdentities()
      if (error) throw error
      return data.identities
    },
  })
  // The way back from a provider that refused, or whose account is somebody else's here.
  useEffect(() => {
    const refused = arrivalHash.get('error_description')
    if (refused) toast.error('The sign-in was not connected', refused)
    arrivalHash.delete('error_description')
  }, [])
  const linked = identities.data ?? []
  const moves =
    removing && addressOf(removing) === user?.email && !linked.some((each) => each !== removing && addressOf(each) === user?.email)
  const others = Object.entries(settings?.external ?? {}).filter(
    ([name, enabled]) => enabled && !plain.has(name) && names[name] && !linked.some((identity) => identity.provider === name),
  )

  async function link(provider: string) {
    const { auth } = await loadBackend()
    const options = { redirectTo: leadBack(location.href, 'link') }
    await attempt(`${names[provider]} was not connected`, async () => {
      await confirmed(async () => {
        const { error } = await auth.linkIdentity({ provider: provider as Provider, options })
        if (error) throw error
      })
    })
  }
  async function unlink(identity: UserIdentity) {
    const { auth } = await loadBackend()
    const { error } = await auth.unlinkIdentity(identity)
    if (error) return toast.error('The sign-in was not removed', error.message)
    // The account may have another address now.
    await auth.refreshSession()
    await queries.invalidateQueries({ queryKey: key })
    toast.success('Sign-in removed')
  }

  return (
    <Panel title="Connected sign-ins" flush>
      {identities.isError ? <ErrorState error={identities.error} retry={() => identities.refetch()} /> : null}
      <ul className="divide-y divide-line">
        {linked.map((identity) => (
          <li key={identity.identity_id} className="flex min-h-12 items-center justify-between gap-3 px-4 py-2 text-13">
            <span>
              <span className="font-medium">{nameOf(identity)}</span>
              <span className="ml-2 text-faint">{String(identity.identity_data?.email ?? '')}</span>
            </span>
            {linked.length > 1 ? (
              <Button variant="ghost" onClick={() => setRemoving(identity)}>
                Remove
              </Button>
            ) : null}
          </li>
        ))}
        {others.map(([provider]) => (
          <li key={provider} className="flex min-h-12 items-center justify-between gap-3 px-4 py-2 text-13">
            <span className="text-muted">{names[provider]}</span>
            <Button onClick={() => link(provider)}>Connect</Button>
          </li>
        ))}
      </ul>
      <Confirm
        open={Boolean(removing)}
        onClose={() => setRemoving(undefined)}
        title={`Remove ${removing ? nameOf(removing) : ''}?`}
        action="Remove"
        danger
        onConfirm={() => unlink(removing!)}
      >
        You can no longer sign in with it{removing?.provider === 'email' ? ', and your password is removed' : ''}.
        {moves ? ' Your account uses the email address of a sign-in that remains.' : ''}
      </Confirm>
    </Panel>
  )
}

const nameOf = ({ provider }: UserIdentity) => names[provider] ?? provider
const addressOf = ({ identity_data: data }: UserIdentity): unknown => data?.email
