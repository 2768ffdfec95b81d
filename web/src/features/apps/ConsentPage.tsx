import type { Reply } from '@operon/contracts/contract'
import type { oauthConsent, oauthRequest } from '@operon/contracts/identity/oauth'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readJson } from '../../api/http.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PageLoading } from '../../shell/states.tsx'
import { ThemeToggle } from '../../shell/ThemeToggle.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Field.tsx'
import { Wordmark } from '../../ui/Mark.tsx'
import { Alert, ErrorState } from '../../ui/Panel.tsx'

type Request = Reply<typeof oauthRequest>

/** Another company's app asks to act for the person. Nothing is allowed before they choose it here. */
export function ConsentPage() {
  const [search] = useSearchParams()
  const id = search.get('authorization_id') ?? ''
  const { status, user, half } = useSession()
  const request = useQuery({
    queryKey: ['oauth-request', id, user?.id],
    queryFn: async () => readJson<Request>(await (await loadBackend()).authed(`/auth/v1/oauth/authorizations/${encodeURIComponent(id)}`)),
    enabled: Boolean(user && !half),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (status === 'loading' || (user && !half && request.isPending)) return <PageLoading />
  return (
    <div className="flex min-h-dvh flex-col px-5 md:px-12">
      <header className="flex h-16 items-center justify-between">
        <Wordmark name={product.name} />
        <ThemeToggle />
      </header>
      <main tabIndex={-1} className="mx-auto flex w-full max-w-[30rem] flex-1 flex-col justify-center gap-5 py-8">
        {!user || half ? (
          <SignInFirst half={Boolean(half)} />
        ) : request.isError ? (
          <ErrorState title="This app cannot be connected" error={request.error} retry={() => request.refetch()} />
        ) : request.data ? (
          <Ask request={request.data} />
        ) : null}
      </main>
    </div>
  )
}

function SignInFirst({ half }: { half: boolean }) {
  return (
    <>
      <h1 className="text-28 font-semibold">Sign in to continue</h1>
      <p className="text-14 text-muted">
        An app wants to connect to your {product.name} account. {half ? 'Finish signing in with your second factor' : 'Sign in'} in a new
        tab. This page continues once you are signed in.
      </p>
      <a
        href={paths.auth}
        target="_blank"
        rel="noopener"
        className="text-14 text-signal-text underline underline-offset-4"
        data-testid="sign-in-elsewhere"
      >
        Open the sign-in page
      </a>
    </>
  )
}

const words: Record<string, [title: string, detail: string]> = {
  reads: ['See your data', 'Usage, payments, activity and everything else you can look up here.'],
  changes: ['Make changes for you', 'Only changes that you can undo. It asks you here before it spends, sends or removes anything.'],
}

function Ask({ request }: { request: Request }) {
  const [busy, setBusy] = useState<'approve' | 'deny'>()
  const [problem, setProblem] = useState<string>()
  const { host, protocol } = new URL(request.redirect_uri)
  const asked = request.scope.split(' ')

  async function answer(action: 'approve' | 'deny', scopes?: string[]) {
    setBusy(action)
    setProblem(undefined)
    try {
      const { authed } = await loadBackend()
      const path = `/auth/v1/oauth/authorizations/${request.authorization_id}/consent`
      const { redirect_url } = await readJson<Reply<typeof oauthConsent>>(
        await authed(path, { method: 'POST', body: JSON.stringify({ action, ...(scopes && { scopes }) }) }),
      )
      location.assign(redirect_url)
    } catch (error) {
      setBusy(undefined)
      setProblem((error as Error).message)
    }
  }

  function allow(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const scopes = new FormData(event.currentTarget).getAll('scope') as string[]
    if (scopes.length === 0) return setProblem('Choose at least one thing, or cancel.')
    void answer('approve', scopes)
  }

  return (
    <form onSubmit={allow} className="flex flex-col gap-5">
      <h1 className="text-28 font-semibold">Connect {request.client.name}?</h1>
      <p className="text-14 text-muted">
        {request.client.name} will act for <strong className="font-medium text-text">{request.user.email}</strong>. The name is what the app
        calls itself. It returns to{' '}
        <strong className="break-all font-medium text-text">{protocol.startsWith('http') ? host : protocol.slice(0, -1)}</strong>.
      </p>
      {problem ? <Alert title="The app was not connected">{problem}</Alert> : null}
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-13 font-medium">It may</legend>
        {asked.map((scope) => (
          <Checkbox key={scope} name="scope" value={scope} defaultChecked>
            <span className="font-medium">{words[scope]?.[0] ?? scope}</span>
            <span className="block text-13 text-muted">{words[scope]?.[1]}</span>
          </Checkbox>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" size="public" busy={busy === 'approve' ? 'Connecting' : false}>
          Connect
        </Button>
        <Button size="public" busy={busy === 'deny' ? 'Canceling' : false} onClick={() => answer('deny')}>
          Cancel
        </Button>
      </div>
      <p className="text-13 text-faint">You can disconnect it any time in Settings, under API keys and apps.</p>
    </form>
  )
}
