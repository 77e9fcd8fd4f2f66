import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { signInWith } from '../api/client.ts';

/** Asks who the user is: the server answers nobody else. */
export function SignIn(): JSX.Element {
  const [token, setToken] = useState('');
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        signInWith(token.trim());
      }}
    >
      <h1>Who are you?</h1>
      <p>
        This server answers users whom it knows. Paste your token, or run <code>muster ui</code>, which opens the page
        with a link that signs you in.
      </p>
      <label class="field">
        <span>Token</span>
        <input
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <p class="muted">It stays in the memory of this page. A page that is loaded again asks again.</p>
      <button type="submit" class="primary">
        Sign in
      </button>
    </form>
  );
}
