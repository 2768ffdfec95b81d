import type { CallArgs } from '@operon/contracts/calls'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Options, PasswordField, SelectField, TextArea, TextField } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import type { CustomApi } from './CustomApis.tsx'

type Args = CallArgs<'connect-custom-api'>
type Auth = NonNullable<Args['auth']>
const auths: { id: Auth; name: string }[] = [
  { id: 'bearer', name: 'Bearer token' },
  { id: 'header', name: 'Key in a header' },
  { id: 'query', name: 'Key in the address' },
  { id: 'basic', name: 'User and password' },
  { id: 'oauth', name: 'OAuth client' },
  { id: 'signin', name: 'Sign in (OAuth)' },
  { id: 'none', name: 'No key' },
]
const sources = {
  url: 'Address of its OpenAPI document',
  paste: 'Paste its OpenAPI document',
  base: 'Its address alone',
  mcp: 'The tools of an MCP server',
} as const

const hints = {
  paste: 'Where the document does not name one',
  base: 'Such as https://api.example.com/v1',
  mcp: 'Such as https://mcp.example.com/mcp. It has to speak streamable HTTP',
}

/** Where an API is and how its key travels; it is tried before it is kept. */
export function CustomApiDialog({ api, onClose, onDone }: { api: CustomApi | null; onClose: () => void; onDone: (text: string) => void }) {
  const [source, setSource] = useState<keyof typeof sources>(api?.kind === 'mcp' ? 'mcp' : 'url')
  const [auth, setAuth] = useState<Auth>(api?.auth ?? 'bearer')

  const isServer = source === 'mcp'

  async function save(_typed: unknown, data: FormData) {
    const fields = [...data].map(([name, value]) => [name, String(value).trim()])
    const given = Object.fromEntries(fields.filter(([, value]) => value)) as Omit<Args, 'auth'>
    const { operations, left_out } = await call('connect-custom-api', {
      ...given,
      auth,
      kind: isServer ? 'mcp' : 'api',
      ...(api && { connection_id: api.connection_id }),
    })
    const told = auth === 'signin' ? 'Choose Manage, then sign in there' : isServer ? 'Choose which of its tools may be called' : ''
    onDone(
      told ||
        `${operations === 1 ? 'One operation' : `${operations} operations`}${left_out ? `, ${left_out} left out: they cannot be called, or are more than 300` : ''}`,
    )
    return false
  }

  return (
    <FormDialog
      onClose={onClose}
      title={api ? `Connect ${api.name} again` : 'Add an API'}
      description="It is tried with one call. The key is kept encrypted, and nobody can read it here again."
      submit={auth === 'signin' ? 'Add' : 'Connect'}
      failed="The API was not connected"
      save={save}
    >
      <TextField name="name" label="Name" defaultValue={api?.name} required maxLength={80} data-first="" />
      <SelectField label="What it can do" value={source} onChange={({ target }) => setSource(target.value as keyof typeof sources)}>
        <Options of={Object.entries(sources)} />
      </SelectField>
      {source === 'url' ? (
        <TextField name="document_url" label="Address of the document" type="url" required maxLength={1000} hint="OpenAPI 3 in JSON" />
      ) : null}
      {source === 'paste' ? (
        <TextArea name="document" label="OpenAPI document" required maxLength={900_000} hint="OpenAPI 3 in JSON" />
      ) : null}
      {source === 'url' ? null : (
        <TextField
          name="base"
          label={isServer ? 'Address of the server' : 'Address of the API'}
          type="url"
          defaultValue={api?.base}
          required={source !== 'paste'}
          maxLength={500}
          hint={hints[source]}
        />
      )}
      <SelectField label="Authentication" value={auth} onChange={({ target }) => setAuth(target.value as Auth)}>
        <Options of={auths.map(({ id, name }) => [id, name])} />
      </SelectField>
      {auth === 'header' || auth === 'query' ? (
        <TextField name="auth_name" label={auth === 'header' ? 'Name of the header' : 'Name in the address'} required maxLength={100} />
      ) : null}
      {auth === 'oauth' || auth === 'signin' ? (
        <>
          {auth === 'signin' ? (
            <>
              <p className="text-13 text-muted">
                Register a client there with this redirect URL:
                <code className="block break-all">{`${location.origin}/connect/custom`}</code>
              </p>
              <TextField name="authorize_url" label="Authorization URL" type="url" required maxLength={1000} />
              <TextField name="scope" label="Scopes" maxLength={1000} hint="Separated by spaces. Optional" />
            </>
          ) : null}
          <TextField name="token_url" label="Token URL" type="url" required maxLength={1000} />
          <TextField name="client_id" label="Client id" required maxLength={400} />
        </>
      ) : null}
      {auth === 'none' ? null : (
        <PasswordField
          name="key"
          label={auth === 'oauth' || auth === 'signin' ? 'Client secret' : auth === 'basic' ? 'User and password' : 'Key'}
          hint={auth === 'basic' ? 'As user:password' : auth === 'signin' ? 'Optional, where the client has none' : undefined}
          required={auth !== 'signin'}
          maxLength={4000}
          autoComplete="off"
        />
      )}
      {isServer || auth === 'signin' ? null : (
        <TextField name="check_path" label="Path to try" maxLength={300} hint="A path that only reads, such as items. Optional" />
      )}
    </FormDialog>
  )
}
