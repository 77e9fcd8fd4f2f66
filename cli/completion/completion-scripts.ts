// The scripts that shells run at the Tab key. Each calls `muster complete`: the first line says what kind of completion
// follows, and each other line is a word, a tab, and a description.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/**
 * Works in bash 3.2 (macOS), which has neither `mapfile` nor `compopt`. bash splits words at `=` and completes the part
 * after it.
 */
const BASH = `# bash completion of muster: source <(muster completion bash)
_muster() {
  local kind word about current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == [=:]* ]] && current=
  COMPREPLY=()
  {
    IFS= read -r kind
    case $kind in
      files | folders)
        local only=-f
        [[ $kind == folders ]] && only=-d
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$only" -- "$current")
        ;;
      words)
        while IFS=$'\\t' read -r word about; do
          [[ $word == --*=* && $COMP_WORDBREAKS == *=* ]] && word=\${word#*=}
          COMPREPLY+=("$word")
        done
        ;;
    esac
  } < <(muster complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _muster muster
`;

const ZSH = `#compdef muster
# zsh completion of muster: source <(muster completion zsh)
_muster() {
  local line
  local -a lines candidates
  lines=("\${(@f)$(muster complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    files | folders)
      [[ $PREFIX == --*=* ]] && compset -P '--*='
      if [[ $lines[1] == folders ]]; then _files -/; else _files; fi
      ;;
    words)
      for line in "\${(@)lines[2,-1]}"; do
        candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${line#*$'\\t'}:+:\${line#*$'\\t'}}")
      done
      _describe muster candidates
      ;;
  esac
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
if [[ $funcstack[1] == _muster ]]; then _muster "$@"; else compdef _muster muster; fi
`;

const FISH = `# fish completion of muster: muster completion fish | source
function __muster_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l lines (muster complete -- $before[2..-1] "$current" 2>/dev/null)
  set -l option (string match -r -- '^--[^=]*=' "$current")
  set -l path (string replace -r -- '^--[^=]*=' '' "$current")
  switch "$lines[1]"
    case files
      for each in (__fish_complete_path "$path")
        echo "$option$each"
      end
    case folders
      for each in (__fish_complete_directories "$path")
        echo "$option$each"
      end
    case words
      printf '%s\\n' $lines[2..-1]
  end
end
complete -c muster -e
complete -c muster -f -a '(__muster_complete)'
`;

/** The script for each shell. */
export const COMPLETION_SCRIPTS: Readonly<Record<CompletedShell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
