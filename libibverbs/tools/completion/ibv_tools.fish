# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fish completion of the utilities: options (read from --help), devices, ports,
# GIDs and host names. Installed once for each utility, under its name.

# Prints the device option of the command line in the form for ibv_devinfo.
function __ibv_tools_device
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    for i in (seq 2 (count $words))
        switch $words[$i]
            case -d --ib-dev
                echo -- -d$words[(math $i + 1)]
            case '--ib-dev=*'
                string replace -- --ib-dev= -d $words[$i]
        end
    end
end

# Prints the possible values of an option.
function __ibv_tools_values --argument-names option
    switch $option
        case ib-dev
            ibv_devices 2>/dev/null | awk 'NR > 2 { print $1 }'
        case ib-port
            ibv_devinfo (__ibv_tools_device) 2>/dev/null |
                awk '$1 == "port:" { print $2 }'
        case gid-idx
            ibv_devinfo -v (__ibv_tools_device) 2>/dev/null |
                sed -n 's/^.*GID\[ *\([0-9]*\)\].*/\1/p'
        case mtu
            string split ' ' '256 512 1024 2048 4096'
        case memory
            string split ' ' '1M 64M 1G 16G'
    end
end

set -l program (string replace -r '.*/(.*)\.fish$' '$1' (status filename))
complete -c $program -f
for line in ($program --help 2>/dev/null)
    set -l letter
    set -l name
    set -l value
    set -l text
    if string match -q '*[HOST]*' -- $line
        complete -c $program -a 'localhost (__fish_print_hostnames)'
    end
    string match -qr '^  (?:-(?<letter>\w), |    )--(?<name>[\w-]+)(?<value>=\w+)? +(?<text>.*)' -- $line
    or continue
    set -l option -l $name -d $text
    if test -n "$letter"
        set -a option -s $letter
    end
    if test -n "$value"
        set -a option -x -a "(__ibv_tools_values $name)"
    end
    complete -c $program $option
end
