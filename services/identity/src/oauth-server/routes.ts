import * as contract from '@operon/contracts/identity/oauth'
import { DomainError } from '@operon/kit/errors'
import { serveRaw } from '@operon/kit/http'
import { sendPage } from '@operon/kit/page'
import { type Deps, routing } from '../deps.ts'
import { registerClient } from './clients.ts'
import { answerRequest, beginConsent, showRequest } from './consent.ts'
import { endAppGrants, grantAppToken, listGrants, revokeAppToken } from './tokens.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]

export function oauthServerRoutes(deps: Deps) {
  const { app, route, run } = routing(deps)
  const home = deps.rt.kit.PUBLIC_URL
  route(contract.oauthMetadata, async () => metadata(home))
  route(contract.oauthMetadataOfAuth, async () => metadata(home))
  route(contract.resourceMetadata, async () => resource(home))
  route(contract.resourceMetadataOfMcp, async () => resource(home))
  serveRaw(app, contract.oauthRegister, (ctx, input, reply) => inOAuth(reply.code(201), run(registerClient)(ctx, input)))
  serveRaw(app, contract.oauthToken, (ctx, input, reply) => inOAuth(reply, run(grantAppToken)(ctx, input)))
  serveRaw(app, contract.oauthRevoke, (ctx, input, reply) => inOAuth(reply, run(revokeAppToken)(ctx, input)))
  serveRaw(app, contract.oauthAuthorize, async (ctx, input, reply) => {
    try {
      return reply.header('cache-control', 'no-store').redirect(await run(beginConsent)(ctx, input), 302)
    } catch (error) {
      if (!(error instanceof DomainError) || error.status >= 429) throw error
      return sendPage(
        reply,
        { product: deps.rt.kit.PRODUCT_NAME, title: 'This app cannot be connected', text: error.message },
        { status: error.status },
      )
    }
  })
  route(contract.oauthRequest, showRequest)
  route(contract.oauthConsent, answerRequest)
  route(contract.oauthGrants, listGrants)
  serveRaw(app, contract.oauthGrantsEnd, async (ctx, input, reply) => reply.code(204).send(await run(endAppGrants)(ctx, input)))
}

/** OAuth's own form of an answer and of a refusal, never kept by anybody on the way. */
async function inOAuth(reply: Reply, answer: Promise<unknown>) {
  reply.header('cache-control', 'no-store').type('application/json')
  try {
    return reply.send(await answer)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return reply.code(error.status).headers(error.headers).send({ error: error.code, error_description: error.message })
  }
}

const metadata = (home: string) => ({
  issuer: home,
  authorization_endpoint: home + contract.oauthAuthorize.path,
  token_endpoint: home + contract.oauthToken.path,
  registration_endpoint: home + contract.oauthRegister.path,
  revocation_endpoint: home + contract.oauthRevoke.path,
  scopes_supported: contract.appScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${home}/docs#assistants`,
})

const resource = (home: string) => ({
  resource: `${home}/mcp`,
  authorization_servers: [home],
  scopes_supported: contract.appScopes,
  bearer_methods_supported: ['header'],
  resource_documentation: `${home}/docs#assistants`,
})
